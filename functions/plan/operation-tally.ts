/** Adds up what a deployed pipeline does each second, by the functions that do it. */
import type { Shape } from './deployed-functions.ts';

/** Per second. */
export interface Operations {
  readonly requests: number;
  /** Instances that have a request open, on average. */
  readonly busyInstances: number;
  /** Published and delivered, each request counted with its minimum. */
  readonly pubSubBytes: number;
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
  readonly bytesScanned: number;
}

/** Which function works: ingest, a slot of a stage, or the sweep. */
export type Worker =
  | { readonly kind: 'ingest'; readonly source: string; readonly instances: number }
  | { readonly kind: 'stage'; readonly stage: string; readonly slot: number }
  | { readonly kind: 'sweep' };

export class OperationTally {
  readonly #shape: Shape;
  /** By function: how many requests are open on average, and its instances. */
  readonly #open = new Map<string, { requests: number; instances: number }>();
  #requests = 0;
  #bytes = 0;
  #reads = 0;
  #writes = 0;
  #deletes = 0;
  #scanned = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  /** @param seconds how long each request is open */
  requests(worker: Worker, requests: number, seconds: number): void {
    this.#requests += requests;
    this.open(worker, requests * seconds);
  }

  /** Adds to the requests that are open on average, without new ones. */
  open(worker: Worker, requests: number): void {
    const id = this.#functionOf(worker);
    const instances = worker.kind === 'ingest' ? worker.instances : 1;
    const known = this.#open.get(id) ?? { requests: 0, instances };
    this.#open.set(id, {
      requests: known.requests + requests,
      instances: Math.max(instances, known.instances),
    });
  }

  /** Bytes through Pub/Sub, published or delivered. */
  transported(bytes: number): void {
    this.#bytes += bytes;
  }

  store({ reads = 0, writes = 0, deletes = 0 }: { reads?: number; writes?: number; deletes?: number }): void {
    this.#reads += reads;
    this.#writes += writes;
    this.#deletes += deletes;
  }

  scanned(bytes: number): void {
    this.#scanned += bytes;
  }

  result(): Operations {
    let busyInstances = 0;
    // Requests come by chance: the share of time in which at least one is open.
    for (const { requests, instances } of this.#open.values())
      busyInstances += instances * (1 - Math.exp(-requests / instances));
    return {
      requests: this.#requests,
      busyInstances,
      pubSubBytes: this.#bytes,
      reads: this.#reads,
      writes: this.#writes,
      deletes: this.#deletes,
      bytesScanned: this.#scanned,
    };
  }

  #functionOf(worker: Worker): string {
    const apart = this.#shape === 'functions';
    switch (worker.kind) {
      case 'ingest':
        return apart ? `ingest--${worker.source}` : 'ingest';
      case 'stage':
        return apart ? `${worker.stage}--${worker.slot}` : `service--${worker.slot}`;
      case 'sweep':
        return apart ? 'sweep' : 'service--0';
    }
  }
}
