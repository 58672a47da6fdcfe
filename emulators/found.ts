/** Says by its exit code whether both emulators can be had here; if not, prints which suites that leaves out, and why. */
import { findEmulators } from './discover.ts';

const missing = Object.values(findEmulators()).flatMap((found) => (found.kind === 'missing' ? [found.reason] : []));
if (missing.length > 0) {
  const why = missing.map((reason) => reason.split('\n')[0]).join(' ');
  console.log(`not run: npm run test:emulators, the suites on the Pub/Sub and Firestore emulators. ${why}`);
  process.exitCode = 1;
}
