import { CELL_LIMITS } from '../../../functions/engine/shard/cell-limits.ts';
import type { CellParts } from '../../../functions/engine/shard/cell-parts.ts';

/** Parts in memory that count reads, answer late, and refuse what was not written. */
export class MemoryParts implements CellParts {
  readonly limits = CELL_LIMITS;
  readonly bodies = new Map<string, string>();
  reads = 0;
  written = 0;

  async read(id: string): Promise<string> {
    this.reads += 1;
    const body = this.bodies.get(id);
    if (body === undefined) throw new Error(`part ${id} was never written`);
    return body;
  }

  readAll(ids: readonly string[]): Promise<readonly string[]> {
    return Promise.all(ids.map((id) => this.read(id)));
  }

  write(id: string, body: string): void {
    this.written += body.length;
    this.bodies.set(id, body);
  }

  delete(id: string): void {
    if (!this.bodies.delete(id)) throw new Error(`part ${id} is deleted, but was never written`);
  }

  checkpoint(): () => void {
    const before = new Map(this.bodies);
    return () => {
      this.bodies.clear();
      for (const [id, body] of before) this.bodies.set(id, body);
    };
  }

  throwFailure(): void {}
}
