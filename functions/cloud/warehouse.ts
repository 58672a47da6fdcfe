import { ConfigurationError } from '../model/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Warehouse } from '../ports/warehouse.ts';
import type { FunctionConfiguration } from './configuration.ts';
import { TableClient } from './table-client.ts';

/** The warehouse that a function is told of: a table server of a local run, else BigQuery. */
export function openWarehouse({ tables, projectId, dataset }: FunctionConfiguration, clock: Clock): Warehouse {
  if (tables !== undefined) return new TableClient(tables);
  return lazily(async () => {
    if (dataset === undefined)
      throw new ConfigurationError('the function writes tables and knows no dataset; set MILLRACE_DATASET');
    const { BigQueryWarehouse } = await import('./bigquery/warehouse.ts');
    return new BigQueryWarehouse({ projectId, dataset, clock });
  });
}

/** Opens a warehouse with the first call, so that only the stages that have a table load its client. */
function lazily(open: () => Promise<Warehouse>): Warehouse {
  let opened: Promise<Warehouse> | undefined;
  const warehouse = (): Promise<Warehouse> => {
    opened ??= open();
    return opened;
  };
  return {
    prepare: async (table) => (await warehouse()).prepare(table),
    merge: async (job) => (await warehouse()).merge(job),
  };
}
