/** Faults in user state and timers. */
import type { Mutation } from './mutation.ts';

export const STATEFUL_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a window that has changed keeps its place among those that are due',
    file: 'functions/engine/stateful/window-states.ts',
    from: 'if (due === first.due) return;',
    to: 'if (due !== undefined) return;',
  },
  {
    name: 'a window that expires calls nobody',
    file: 'functions/engine/stateful/callbacks.ts',
    from: 'if (doFn.onWindowExpiration === undefined) return undefined;',
    to: 'if (doFn !== undefined) return undefined;',
  },
  {
    name: 'timers hold no watermark',
    file: 'functions/engine/stateful/timer-store.ts',
    from: 'if (output !== undefined) hold = earlier(hold, output);',
    to: '',
  },
  {
    name: 'a bag is read without what was added last',
    file: 'functions/engine/stateful/bag-slot.ts',
    from: `const kept = bodies.flatMap((body) => body.split('\\t')).concat(tail);`,
    to: `const kept = bodies.flatMap((body) => body.split('\\t')).concat(tail.slice(1));`,
  },
  {
    name: 'a bag that is cleared is kept',
    file: 'functions/engine/stateful/bag-slot.ts',
    from: `    this.drop();
    this.#tail = [];`,
    to: '    this.drop();',
  },
  {
    name: 'a value that is written is not noted',
    file: 'functions/engine/stateful/value-slot.ts',
    from: 'this.#kept = this.#lifetime.stamp(printValue(value, this.#setting.what));',
    to: 'void value;',
  },
  {
    name: 'a map forgets a key',
    file: 'functions/engine/stateful/map-slot.ts',
    from: 'this.texts.put(keyText(key), printValue(value, this.what));',
    to: 'if (keyText(key).length % 2 === 0) this.texts.put(keyText(key), printValue(value, this.what));',
  },
  {
    name: 'a set keeps nothing',
    file: 'functions/engine/stateful/set-slot.ts',
    from: 'this.texts.put(keyText(value), PRESENT);',
    to: 'void value;',
  },
  {
    name: 'a map is stored without its last key',
    file: 'functions/engine/stateful/keyed-texts.ts',
    from: 'for (const [key, kept] of this.#near) fields.push(key, kept ?? REMOVED);',
    to: 'for (const [key, kept] of [...this.#near].slice(0, -1)) fields.push(key, kept ?? REMOVED);',
  },
  {
    name: 'a cleared map is not cleared',
    file: 'functions/engine/stateful/keyed-texts.ts',
    from: `    this.#generation += 1;
    this.#near.clear();`,
    to: '    this.#generation += 1;',
  },
  {
    name: 'a window expires before its timers',
    file: 'functions/engine/stateful/due-work.ts',
    from: `if (timer !== undefined) return { kind: 'timer', state, timer };
    if (clock === 'event' && watermark > state.expiry) return { kind: 'expiration', state };`,
    to: `if (clock === 'event' && watermark > state.expiry) return { kind: 'expiration', state };
    if (timer !== undefined) return { kind: 'timer', state, timer };`,
  },
  {
    name: 'a timer that has fired stays set',
    file: 'functions/engine/stateful/timer-store.ts',
    from: `    this.#drop(identityOf(nearest));
    this.#setting.changed();
    return nearest;`,
    to: `    this.#setting.changed();
    return nearest;`,
  },
  {
    name: 'a timer is set to the watermark instead of its element',
    file: 'functions/engine/stateful/timer-handle.ts',
    from: 'const now = isEvent ? eventNow : moment.processingTime;',
    to: 'const now = isEvent ? this.#frame.inputWatermark : moment.processingTime;',
  },
  {
    name: 'of the timers that are due the last comes first',
    file: 'functions/engine/stateful/timer-store.ts',
    from: 'if (timer.clock === clock && (next === undefined || timer.at < next.at)) next = timer;',
    to: 'if (timer.clock === clock && (next === undefined || timer.at > next.at)) next = timer;',
  },
  {
    name: 'what is parked is forgotten when its cell is stored',
    file: 'functions/engine/shard/parking.ts',
    from: `if (this.#parked.length === 0) return undefined;
    this.#text ??=`,
    to: `if (this.#parked.length < 1e9) return undefined;
    this.#text ??=`,
  },
  {
    name: 'what is parked holds nothing',
    file: 'functions/engine/shard/parking.ts',
    from: 'if (earliest === undefined || element.timestamp < earliest) earliest = element.timestamp;',
    to: 'if (earliest === undefined) earliest = (8.64e15) as EpochMillis;',
  },
  {
    name: 'what is parked is never due again',
    file: 'functions/engine/shard/parking.ts',
    from: 'for (const { until } of this.#parked) due = earlier(due, until);',
    to: '',
  },
];
