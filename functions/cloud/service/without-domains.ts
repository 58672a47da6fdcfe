/**
 * functions-framework runs each request in a domain, Node's deprecated way to catch what nobody else does. The first domain
 * that is made hooks every promise of the process: 60 % of an ingest instance's time, as measured. Our handler never throws
 * and never rejects, so there is nothing for a domain to catch, and it gets one that does nothing.
 */
import domain from 'node:domain';

/** As much of a domain as functions-framework uses. */
const PLAIN = {
  on: () => PLAIN,
  run: (work: () => void) => work(),
};

/** Call before the first request. What is thrown outside of any handler still ends the process, as it should. */
export function runWithoutDomains(): void {
  Object.assign(domain, { create: () => PLAIN });
}
