/** datasets.get, list, insert, patch, update, delete. */
import { Catalog } from '../catalog/catalog.ts';
import type { DatasetResource } from '../catalog/dataset.ts';
import { checkDatasetId, checkProjectId } from '../catalog/names.ts';
import {
  type ApiRequest,
  type Json,
  labelsOf,
  NO_CONTENT,
  objectOf,
  ok,
  optionalString,
  pageOf,
  param,
} from './request.ts';
import type { Route } from './router.ts';

function toResource(dataset: DatasetResource, origin: string): object {
  const { projectId, datasetId, creationTime, lastModifiedTime, ...rest } = dataset;
  return {
    kind: 'bigquery#dataset',
    id: `${projectId}:${datasetId}`,
    selfLink: `${origin}/bigquery/v2/projects/${projectId}/datasets/${datasetId}`,
    datasetReference: { projectId, datasetId },
    ...rest,
    creationTime: String(creationTime),
    lastModifiedTime: String(lastModifiedTime),
    type: 'DEFAULT',
    access: [],
  };
}

/** What the caller may set. A patch leaves out what it does not change; null takes a value away. */
function settable(body: Json): Partial<DatasetResource> {
  const strings = ['friendlyName', 'description', 'defaultTableExpirationMs'] as const;
  const given = strings
    .filter((key) => body[key] !== undefined && body[key] !== null)
    .map((key) => [key, String(body[key])] as const);
  const labels = labelsOf(body['labels']);
  return { ...Object.fromEntries(given), ...(labels && { labels }) };
}

function without(dataset: DatasetResource, body: Json): DatasetResource {
  return Object.fromEntries(
    Object.entries(dataset).filter(([key]) => body[key] !== null),
  ) as unknown as DatasetResource;
}

export function datasetRoutes(catalog: Catalog): Route[] {
  const at = (request: ApiRequest) => [param(request, 'project'), param(request, 'dataset')] as const;
  const change = (whole: boolean) => async (request: ApiRequest) => {
    const [project, name] = at(request);
    const { body } = request;
    const changed = await catalog.updateDataset(project, name, (dataset) => {
      Catalog.checkEtag(request.ifMatch, dataset.etag);
      const { projectId, datasetId, location, creationTime, lastModifiedTime, etag } = dataset;
      const base = whole
        ? { projectId, datasetId, location, creationTime, lastModifiedTime, etag }
        : without(dataset, body);
      const settings = settable(body);
      return { ...base, ...settings, ...(!whole && settings.labels && { labels: mergedLabels(dataset, body) }) };
    });
    return ok(toResource(changed, request.origin));
  };
  return [
    {
      method: 'GET',
      path: '/projects/:project/datasets',
      handler: (request) => {
        const { items, nextPageToken } = pageOf(catalog.datasets(param(request, 'project')), request);
        const datasets = items.map(({ projectId, datasetId, location, friendlyName, labels }) => ({
          kind: 'bigquery#dataset',
          id: `${projectId}:${datasetId}`,
          datasetReference: { projectId, datasetId },
          location,
          ...(friendlyName !== undefined && { friendlyName }),
          ...(labels && { labels }),
        }));
        return ok({
          kind: 'bigquery#datasetList',
          etag: 'list',
          datasets,
          ...(nextPageToken !== undefined && { nextPageToken }),
        });
      },
    },
    {
      method: 'POST',
      path: '/projects/:project/datasets',
      handler: async (request) => {
        const reference = objectOf(request.body['datasetReference'], 'datasetReference');
        const dataset = await catalog.createDataset({
          projectId: checkProjectId(param(request, 'project')),
          datasetId: checkDatasetId(reference['datasetId']),
          location: optionalString(request.body['location'], 'location') ?? 'US',
          ...settable(request.body),
        });
        return ok(toResource(dataset, request.origin));
      },
    },
    {
      method: 'GET',
      path: '/projects/:project/datasets/:dataset',
      handler: (request) => ok(toResource(catalog.dataset(...at(request)), request.origin)),
    },
    { method: 'PATCH', path: '/projects/:project/datasets/:dataset', handler: change(false) },
    { method: 'PUT', path: '/projects/:project/datasets/:dataset', handler: change(true) },
    {
      method: 'DELETE',
      path: '/projects/:project/datasets/:dataset',
      handler: async (request) => {
        await catalog.deleteDataset(...at(request), request.query.get('deleteContents') === 'true');
        return NO_CONTENT;
      },
    },
  ];
}

/** A patch adds labels to those that are there; null takes one away. */
function mergedLabels({ labels }: DatasetResource, body: Json): Readonly<Record<string, string>> {
  const given = body['labels'] as Json;
  const merged = { ...labels, ...given };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as Record<string, string>;
}
