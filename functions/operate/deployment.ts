/** The manifest of a pipeline with what the engine asks of the store. */
import { type Manifest, type ManifestOptions, manifestOf } from '../plan/manifest.ts';
import type { Plan } from '../plan/plan.ts';
import { QUERIES } from '../ports/queries.ts';
import { COLLECTIONS } from '../ports/store.ts';

export type DeployOptions = Omit<ManifestOptions, 'queries' | 'collections'>;

/** @throws {ConfigurationError} when the pipeline cannot be deployed, or an option is out of range */
export function deploymentManifest(plan: Plan, options: DeployOptions = {}): Manifest {
  return manifestOf(plan, { ...options, queries: QUERIES, collections: COLLECTIONS });
}
