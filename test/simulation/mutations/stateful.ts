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
  {
    name: 'a timer is stored without its output',
    file: 'functions/engine/stateful/timer-text.ts',
    from: 'output: output ?? undefined,',
    to: 'output: undefined,',
  },
  {
    name: 'a timer forgets its clock in the store',
    file: 'functions/engine/stateful/timer-text.ts',
    from: `clock: clock === 0 ? 'event' : 'processing',`,
    to: `clock: 'event',`,
  },
  {
    name: 'sorted elements are stored without the last',
    file: 'functions/engine/stateful/sorted-buffer.ts',
    from: `for (const { key, text } of this.#near.items()) line += \`\\t\${key}\\t\${text}\`;`,
    to: `for (const { key, text } of [...this.#near.items()].slice(1)) line += \`\\t\${key}\\t\${text}\`;`,
  },
  {
    name: 'sorted elements come as they came',
    file: 'functions/engine/stateful/sorted-buffer.ts',
    from: 'this.#keep({ key: sortableInstant(timestamp) + place, timestamp, text, incoming });',
    to: 'this.#keep({ key: place, timestamp, text, incoming });',
  },
  {
    name: 'a window is stored without its timers',
    file: 'functions/engine/stateful/window-state.ts',
    from: `if (timers !== undefined) lines.push(\`\${TIMERS}\\t\\t\${timers}\`);`,
    to: '',
  },
  {
    name: 'a window does not hold for its expiration',
    file: 'functions/engine/stateful/window-state.ts',
    from: 'return earlier(timers ?? MAX_TIMESTAMP, maxTimestamp(this));',
    to: 'return timers;',
  },
  {
    name: 'sorted elements hold nothing',
    file: 'functions/engine/stateful/stateful-cell.ts',
    from: 'return earlier(windows.hold() ?? MAX_TIMESTAMP, earlier(parking.hold() ?? MAX_TIMESTAMP, buffer.next()));',
    to: 'return earlier(windows.hold() ?? MAX_TIMESTAMP, parking.hold() ?? MAX_TIMESTAMP);',
  },
  {
    name: 'what is due in a part is lost for the bundle that reads it',
    file: 'functions/engine/stateful/due-work.ts',
    from: `if (this.#head !== undefined) return undefined;
    for (const clock`,
    to: `if (this.#head?.clock === 'event') return undefined;
    this.#head = undefined;
    for (const clock`,
  },
  {
    name: 'what a failed callback has begun goes on behind it',
    file: 'functions/engine/stateful/moment.ts',
    from: 'if (this.#deferred.length > 0) return this.#finish(Promise.reject(error));',
    to: '',
  },
  {
    name: 'a timer that has failed is set again at once',
    file: 'functions/engine/stateful/stateful-cell.ts',
    from: `    output.firingFailed({ ...failure, timer, ...again, ...(timestamp === undefined ? {} : { timestamp }) });`,
    to: `    output.firingFailed({ ...failure, timer, ...again, ...(timestamp === undefined ? {} : { timestamp }) });
    delivery.state.timers.set(delivery.timer);`,
  },
  {
    name: 'a timer that is replayed is set to another key',
    file: 'functions/engine/stateful/replayed-timer.ts',
    from: 'return { id, tag, clock, at, output, chain: 0,',
    to: `return { id, tag: String(tag) + '0', clock, at, output, chain: 0,`,
  },
  {
    name: 'elements of a stateful step look for their own window in a view',
    file: 'functions/engine/stateful/cell-sides.ts',
    from: 'await this.#look(view, sideWindowFor(view.strategy.windowFn, main));',
    to: 'await this.#look(view, main);',
  },
  {
    name: 'what has reached its time to live is read',
    file: 'functions/engine/stateful/slot.ts',
    from: `return this.isOver(this.writtenAt(kept)) ? undefined : kept`,
    to: 'return kept',
  },
  {
    name: 'what is combined is not kept',
    file: 'functions/engine/stateful/combining-slot.ts',
    from: 'this.#kept = this.#lifetime.stamp(printValue(this.#live.accumulator, this.#setting.what));',
    to: '',
  },
  {
    name: 'changes that wait beside the leaves are not read',
    file: 'functions/engine/stateful/keyed-parts.ts',
    from: 'return this.#search(key);',
    to: 'return this.#base.get(key);',
  },
  {
    name: 'changes are dropped before all are worked in',
    file: 'functions/engine/stateful/keyed-parts.ts',
    from: `const isThrough = to === undefined ? start === '' || start > from : from < start && start <= to;`,
    to: 'const isThrough = from !== to;',
  },
  {
    name: 'of a leaf that is split only the first piece is kept',
    file: 'functions/engine/stateful/part-leaves.ts',
    from: 'this.#leaves.splice(at, leaf === undefined ? 0 : 1, ...leaves);',
    to: 'this.#leaves.splice(at, leaf === undefined ? 0 : 1, ...leaves.slice(0, 1));',
  },
  {
    name: 'what is taken from a part is there when it is read again',
    file: 'functions/engine/stateful/sorted-runs.ts',
    from: 'run.taken = entry[0];',
    to: '',
  },
  {
    name: 'a timer in a part that is set again stays',
    file: 'functions/engine/stateful/far-timers.ts',
    from: 'if (place === undefined) return;',
    to: `if (place === undefined || place !== '') return;`,
  },
  {
    name: 'timers in parts hold nothing',
    file: 'functions/engine/stateful/far-timers.ts',
    from: 'return Math.min(MAX_TIMESTAMP, ...CLOCKS.flatMap((clock) => this.#runs[clock].summaries())) as EpochMillis;',
    to: 'return MAX_TIMESTAMP;',
  },
  {
    name: 'a window in a part is due never',
    file: 'functions/engine/stateful/window-states.ts',
    from: 'for (const away of this.#away.values()) due = earlier(due, dueOf(away, clock));',
    to: '',
  },
  {
    name: 'sorted elements that move into parts lose the last',
    file: 'functions/engine/stateful/sorted-buffer.ts',
    from: 'sorted.slice(elementsNear).map(',
    to: 'sorted.slice(elementsNear, -1).map(',
  },
];
