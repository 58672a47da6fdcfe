/**
 * Google's own GoogleSQL analyser and reference evaluator, as the npm package `@fivetrandevelopers/zetasql` carries them: a
 * binary of 112 MB packed. So it is no dependency of the project; whoever wants these suites gets it into a scratch folder.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = '@fivetrandevelopers/zetasql';
const VERSION = '1.13.0';
/** Ignored by git, and gone with the next `npm ci`. */
const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/googlesql');

export interface InstalledGoogleSql {
  /** A package.json from beside which the package's own dependencies can be required. */
  readonly manifest: string;
  readonly binary: string;
  readonly protos: string;
}

/** Installs the package unless it is there. @throws where npm fails, or where the package has no binary for this machine */
export function installGoogleSql(): InstalledGoogleSql {
  const manifest = join(FOLDER, 'package.json');
  const lib = join(FOLDER, 'node_modules', PACKAGE, 'lib', 'zetasql');
  if (!existsSync(lib)) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(manifest, '{ "private": true }\n');
    console.log(`installing ${PACKAGE}@${VERSION} (112 MB) for these suites`);
    execFileSync('npm', ['install', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', `${PACKAGE}@${VERSION}`], {
      stdio: 'inherit',
    });
  }
  const binary = join(lib, binaryName());
  if (!existsSync(binary)) throw new Error(`${PACKAGE} has no binary for ${process.platform} on ${process.arch}`);
  return { manifest, binary, protos: join(lib, 'protos') };
}

function binaryName(): string {
  return `remote_server${process.arch.startsWith('arm') ? '_arm' : ''}${process.platform === 'darwin' ? '' : '.so'}`;
}
