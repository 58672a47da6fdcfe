/**
 * What functions-framework loads, with the target `millrace`: one HTTP function that serves what its environment says. Run
 * from sources it loads the pipeline that is named there; a bundle has its pipeline in it (`functions/cloud/bundle.ts`).
 */
import { http } from '@google-cloud/functions-framework';
import { loadPipeline } from './cli/load-pipeline.ts';
import { LOCAL_VARIABLES, readConfiguration } from './cloud/configuration.ts';
import { drainOnTerm } from './cloud/service/drain.ts';
import { cloudFunction } from './cloud/service/function.ts';
import { runWithoutDomains } from './cloud/service/without-domains.ts';
import { openWarehouse } from './cloud/warehouse.ts';
import { SYSTEM_CLOCK, SYSTEM_IDS } from './local/system.ts';
import { ENTRY_POINT } from './plan/deployed-functions.ts';
import { plan } from './plan/plan.ts';

const configuration = readConfiguration(process.env);
const graph = await loadPipeline(process.env[LOCAL_VARIABLES.module] ?? configuration.pipeline);
const { shards, slots } = configuration;
const served = cloudFunction(plan(graph, { shards, slots }), configuration, {
  clock: SYSTEM_CLOCK,
  ids: SYSTEM_IDS,
  warehouse: openWarehouse(configuration, SYSTEM_CLOCK),
  write: (line) => process.stdout.write(line),
});

runWithoutDomains();
drainOnTerm(process, SYSTEM_CLOCK, () => served.drain());
// With exactly two parameters: functions-framework takes a third for a callback.
http(ENTRY_POINT, (request, response) => served.handle(request, response));
