/** What one root sends to one shard. */
import type { Envelope } from '../../../functions/ports/bus.ts';

/** An envelope that was given and not taken. */
export interface InFlight {
  readonly envelope: Envelope;
  /** The outbox document that holds it. */
  readonly document: string;
  /** That document's number. */
  readonly place: number;
  /** The earliest timestamp of its elements that were not late already when they were sent; undefined when all were. */
  readonly earliest: number | undefined;
}

export class Flow {
  readonly sender: string;
  readonly target: string;
  readonly given = new Set<number>();
  readonly taken = new Set<number>();
  /** By number. */
  readonly inFlight = new Map<number, InFlight>();

  constructor(sender: string, target: string) {
    this.sender = sender;
    this.target = target;
  }

  give(document: string, envelope: Envelope, earliest: number | undefined): void {
    const place = Number(document.slice(document.lastIndexOf('~') + 1));
    this.given.add(envelope.number);
    this.inFlight.set(envelope.number, { envelope, document, place, earliest });
  }

  /** @returns how many elements were taken */
  take(number: number): number {
    this.taken.add(number);
    const { envelope } = this.inFlight.get(number)!;
    this.inFlight.delete(number);
    return envelope.count;
  }

  /** What an envelope is called. */
  nameOf(number: number): string {
    return `${this.sender} -> ${this.target} #${number}`;
  }
}
