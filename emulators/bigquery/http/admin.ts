/** What is this server's own: troubles, a reset, a sign of life. And the few answers that clients ask for in passing. */
import { ApiError } from '../api-error.ts';
import type { Engine } from '../jobs/engine.ts';
import type { JobService } from '../jobs/job-service.ts';
import { readTroubles } from '../troubles.ts';
import { NO_CONTENT, ok, param, wholeNumber } from './request.ts';
import type { Route } from './router.ts';

export function adminRoutes(engine: Engine, jobs: JobService): Route[] {
  const refuseUpload = () => {
    throw new ApiError(
      'notImplemented',
      'Load jobs are not supported by this local BigQuery server: use INSERT, MERGE or insertAll',
    );
  };
  return [
    { method: 'GET', path: '/emulator/v1/health', handler: () => ok({ status: 'ok' }) },
    { method: 'GET', path: '/emulator/v1/troubles', handler: () => ok(engine.troubles.get()) },
    {
      method: 'PUT',
      path: '/emulator/v1/troubles',
      handler: (request) => {
        const { seed, ...troubles } = request.body;
        engine.troubles.set(readTroubles(troubles), seed === undefined ? undefined : wholeNumber(seed, 'seed', 0));
        return ok(engine.troubles.get());
      },
    },
    {
      method: 'POST',
      path: '/emulator/v1/reset',
      handler: async () => {
        await engine.catalog.clear();
        jobs.store.clear();
        return NO_CONTENT;
      },
    },
    {
      method: 'GET',
      path: '/projects',
      handler: () =>
        ok({
          kind: 'bigquery#projectList',
          projects: engine.catalog
            .projects()
            .map((id) => ({ kind: 'bigquery#project', id, projectReference: { projectId: id }, friendlyName: id })),
        }),
    },
    {
      method: 'GET',
      path: '/projects/:project/serviceAccount',
      handler: (request) =>
        ok({ kind: 'bigquery#getServiceAccountResponse', email: `local@${param(request, 'project')}.invalid` }),
    },
    { method: 'GET', path: '/projects/:project/datasets/:dataset/routines', handler: () => ok({ routines: [] }) },
    { method: 'GET', path: '/projects/:project/datasets/:dataset/models', handler: () => ok({ models: [] }) },
    { method: 'POST', path: '/upload/bigquery/v2/projects/:project/jobs', handler: refuseUpload },
    { method: 'POST', path: '/resumable/upload/bigquery/v2/projects/:project/jobs', handler: refuseUpload },
  ];
}
