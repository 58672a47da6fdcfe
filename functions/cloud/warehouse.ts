import { ConfigurationError } from '../model/errors.ts';
import type { Warehouse } from '../ports/warehouse.ts';
import type { FunctionConfiguration } from './configuration.ts';
import { TableClient } from './table-client.ts';

/** The warehouse that a function is told of. Its client is loaded with the first call, by the stages that have a table. */
export function openWarehouse({ tables }: FunctionConfiguration): Warehouse {
  if (tables !== undefined) return new TableClient(tables);
  const missing = async (): Promise<never> => {
    throw new ConfigurationError('no warehouse is configured for this function');
  };
  return { prepare: missing, merge: missing, lookUp: missing };
}
