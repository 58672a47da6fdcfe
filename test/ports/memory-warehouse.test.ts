import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { warehouseSuite } from './warehouse-suite.ts';

warehouseSuite('in memory', async () => {
  const warehouse = new MemoryWarehouse();
  return { warehouse, rows: async (table) => [...warehouse.rows(table)] };
});
