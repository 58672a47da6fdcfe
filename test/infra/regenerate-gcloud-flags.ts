/**
 * Makes `fixtures/gcloud-flags.json`: the flags of each gcloud command that the deployment script uses, from gcloud's own
 * completion tree. Run when a command is added:
 *
 *   node test/infra/regenerate-gcloud-flags.ts <folder of the Cloud SDK>
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Commands that the library and the generated scripts use. */
const COMMANDS = [
  ...nouns(
    [
      'pubsub topics',
      'pubsub subscriptions',
      'run services',
      'iam service-accounts',
      'artifacts repositories',
      'projects',
    ],
    ['get-iam-policy', 'add-iam-policy-binding'],
  ),
  ...nouns(
    [
      'pubsub topics',
      'pubsub subscriptions',
      'iam service-accounts',
      'artifacts repositories',
      'logging metrics',
      'firestore databases',
    ],
    ['describe', 'create', 'delete'],
  ),
  'pubsub subscriptions update',
  'logging metrics update',
  'projects describe',
  'projects remove-iam-policy-binding',
  'functions describe',
  'functions deploy',
  'functions delete',
  'scheduler jobs describe',
  'scheduler jobs create http',
  'scheduler jobs update http',
  'scheduler jobs delete',
  'firestore databases update',
  'firestore indexes composite list',
  'firestore indexes composite create',
  'firestore indexes fields describe',
  'firestore indexes fields update',
  'storage buckets describe',
  'storage buckets create',
  'storage objects describe',
  'storage cp',
  'storage rm',
  'services list',
  'services enable',
  'beta services identity create',
  ...nouns(['alpha monitoring policies', 'monitoring dashboards'], ['list', 'create', 'delete']),
  'alpha monitoring policies update',
];

interface Tree {
  readonly commands: Readonly<Record<string, Tree>>;
  readonly flags: Readonly<Record<string, unknown>>;
}

function nouns(all: readonly string[], verbs: readonly string[]): string[] {
  return all.flatMap((noun) => verbs.map((verb) => `${noun} ${verb}`));
}

function flagsOf(root: Tree, command: string): string[] {
  const node = command.split(' ').reduce((tree: Tree | undefined, word) => tree?.commands[word], root);
  if (node === undefined) throw new Error(`gcloud has no command '${command}'`);
  return Object.entries(node.flags).flatMap(([flag, kind]) =>
    kind === 'bool' ? [flag, flag.replace(/^--/, '--no-')] : [flag],
  );
}

const [sdk] = process.argv.slice(2);
if (sdk === undefined) throw new Error('usage: node test/infra/regenerate-gcloud-flags.ts <folder of the Cloud SDK>');
const program =
  'import sys, json; scope = {}; exec(open(sys.argv[1]).read(), scope); print(json.dumps(scope["STATIC_COMPLETION_CLI_TREE"]))';
const root = JSON.parse(
  execFileSync('python3', ['-c', program, join(sdk, 'data', 'cli', 'gcloud_completions.py')], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  }),
) as Tree;
const file = {
  version: readFileSync(join(sdk, 'VERSION'), 'utf8').trim(),
  global: Object.keys(root.flags).sort(),
  commands: Object.fromEntries([...COMMANDS].sort().map((command) => [command, flagsOf(root, command).sort()])),
};
const path = fileURLToPath(new URL('fixtures/gcloud-flags.json', import.meta.url));
writeFileSync(path, `${JSON.stringify(file, undefined, 1)}\n`);
process.stdout.write(`${path}: ${Object.keys(file.commands).length} commands of gcloud ${file.version}\n`);
