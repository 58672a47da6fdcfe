/** `endpoints/E:predict`: a prediction for each instance, or one error for all of them. */
import { ApiError } from './errors.ts';
import { BadInstanceError, merchantCategory } from './models.ts';
import { type JsonObject, listOf, type Target } from './requests.ts';
import type { VertexOptions } from './settings.ts';

/** The work of a request: how many instances it served and the answer's body. */
export interface Work {
  readonly instances: number;
  readonly body: JsonObject;
}

/** @throws {ApiError} 400 when an instance is bad, 404 when there is no model */
export function predict(target: Target, body: JsonObject, { models, isBad }: VertexOptions): Work {
  const byEndpoint = models?.predict ?? { '*': merchantCategory };
  const model = byEndpoint[target.id] ?? byEndpoint['*'];
  if (model === undefined) throw new ApiError(404, `The Endpoint ${target.id} is not found.`);
  const instances = listOf(body, 'instances');
  const predictions = instances.map((instance) => onInstance(instance, isBad, () => model(instance, body.parameters)));
  const parent = `projects/${target.project}/locations/${target.location}`;
  return {
    instances: instances.length,
    body: {
      predictions,
      deployedModelId: '1',
      model: `${parent}/models/${target.id}`,
      modelDisplayName: target.id,
      modelVersionId: '1',
    },
  };
}

/** Runs the model on one instance. As on Vertex AI, the error does not say which instance was bad. */
export function onInstance<T>(instance: unknown, isBad: VertexOptions['isBad'], run: () => T): T {
  if (isBad?.(instance)) throw new ApiError(400, 'Invalid instances: an instance is not what the model takes.');
  try {
    return run();
  } catch (error) {
    if (error instanceof BadInstanceError) throw new ApiError(400, `Invalid instances: ${error.message}.`);
    throw error;
  }
}
