/**
 * A Google Cloud of one project for scripts: `gcloud`, `bq` and `npx millrace` that keep what they are told, answer what they are asked and
 * record every call. A command or a flag that the real gcloud does not know fails. The commands are shims that speak to
 * this process, so a script's hundreds of calls cost milliseconds each.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface FlagFile {
  readonly global: readonly string[];
  readonly commands: Readonly<Record<string, readonly string[]>>;
}

const KNOWN = JSON.parse(
  readFileSync(fileURLToPath(new URL('fixtures/gcloud-flags.json', import.meta.url)), 'utf8'),
) as FlagFile;

export interface Call {
  readonly program: string;
  readonly command: string;
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
}

interface Answer {
  readonly code: number;
  readonly text: string;
}

const OK: Answer = { code: 0, text: '' };
const answer = (text: string): Answer => ({ code: 0, text: `${text}\n` });
const fail = (text: string): Answer => ({ code: 1, text: `ERROR: ${text}\n` });

/** What was made, by `kind name`, with the flags that it was made and changed with. */
type Things = Map<string, Record<string, string>>;

export class FakeCloud {
  readonly calls: Call[] = [];
  /** The calls that changed something. */
  readonly changes: Call[] = [];
  readonly things: Things = new Map();
  /** `kind name: role member [condition title]`. */
  readonly grants = new Set<string>();
  /** What `millrace admit` says: the numbers of topology and epoch. */
  admitted = '1 1';
  /** Whether a drain was ordered since the version was admitted. */
  drains = false;
  /** Fails the next command that begins so. */
  failing: string | undefined;
  #server: Server | undefined;

  /** Puts the commands into a folder for a script's PATH. */
  async install(folder: string): Promise<void> {
    this.#server = createServer((socket) => {
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk.toString();
        const parts = received.split('\0');
        if (parts.length - 1 < Number(parts[0]) + 1) return;
        const { code, text } = this.#run(parts[1]!, parts.slice(2, -1));
        socket.end(`${code}\n${text}`);
      });
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    mkdirSync(folder, { recursive: true });
    for (const program of ['gcloud', 'bq', 'npx']) {
      const path = join(folder, program);
      writeFileSync(
        path,
        `#!/usr/bin/env bash\nexec 3<>/dev/tcp/127.0.0.1/${port}\nprintf '%s\\0' "$(($# + 1))" ${program} "$@" >&3\nIFS= read -r code <&3\nif [ "$code" = 0 ]; then cat <&3; else cat <&3 >&2; fi\nexit "$code"\n`,
      );
      chmodSync(path, 0o755);
    }
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** What is there now; give it to `restore` to have it back. */
  snapshot(): readonly [Things, ReadonlySet<string>] {
    return [new Map(this.things), new Set(this.grants)];
  }

  /** Sets what is there, and forgets all calls. */
  restore([things, grants]: readonly [Things, ReadonlySet<string>]): void {
    this.things.clear();
    this.grants.clear();
    this.calls.length = 0;
    this.changes.length = 0;
    for (const [key, thing] of things) this.things.set(key, thing);
    for (const grant of grants) this.grants.add(grant);
  }

  /** Names of things of one kind, such as `pubsub topics`. */
  names(kind: string): string[] {
    return [...this.things.keys()].filter((key) => key.startsWith(`${kind} `)).map((key) => key.slice(kind.length + 1));
  }

  #run(program: string, args: readonly string[]): Answer {
    const { words, flags } = parse(args);
    const command =
      program === 'npx' ? words.slice(0, 2).join(' ') : program === 'bq' ? bqCommand(words) : longestCommand(words);
    if (command === undefined) return fail(`gcloud has no command: ${words.join(' ')}`);
    const call = { program, command, positionals: words.slice(command.split(' ').length), flags };
    this.calls.push(call);
    if (program === 'gcloud')
      for (const flag of Object.keys(flags))
        if (!KNOWN.commands[command]!.includes(flag) && !KNOWN.global.includes(flag))
          return { code: 2, text: `ERROR: gcloud ${command}: unrecognized arguments: ${flag}\n` };
    if (this.failing !== undefined && command.startsWith(this.failing)) {
      // A build that fails leaves its function behind, with the labels that it was to have.
      if (command === 'functions deploy')
        this.#put(call, 'functions', nameOf(call), { ...flags, state: 'FAILED' }, true);
      return fail(`${command} failed`);
    }
    if (program === 'npx') return command === 'millrace admit' ? this.#admit(call) : fail(`npx ${command}`);
    return program === 'bq' ? this.#bq(call) : this.#gcloud(call);
  }

  #admit({ flags }: Call): Answer {
    if (!('--deployed' in flags)) return answer(this.admitted);
    return this.drains ? fail('it drains') : OK;
  }

  #gcloud(call: Call): Answer {
    const { command, flags } = call;
    const words = command.split(' ');
    const verb = words.at(-1)!;
    const kind = words.slice(0, -1).join(' ');
    if (verb === 'get-iam-policy') return this.#policy(call, kind);
    if (verb.endsWith('-iam-policy-binding')) return this.#bind(call, kind, verb.startsWith('add'));
    switch (command) {
      case 'projects describe':
        return answer('123456789012');
      case 'services list':
        return this.things.has(`services ${flags['--filter']!.replace('config.name=', '')}`) ? answer('on') : OK;
      case 'services enable':
        return this.#put(call, 'services', call.positionals[0]!, {});
      case 'beta services identity create':
        return OK;
      case 'scheduler jobs create http':
      case 'scheduler jobs update http':
        return this.#put(call, 'scheduler jobs', call.positionals[0]!, flags, command.includes('update'));
      case 'firestore indexes composite list':
        return answer(this.names('firestore indexes').join('\n'));
      case 'firestore indexes composite create':
        return this.#put(call, 'firestore indexes', indexOf(call), {});
      case 'firestore indexes fields describe': {
        const exempt = this.things.has(`firestore exemptions ${flags['--collection-group']}/${call.positionals[0]}`);
        return flags['--format']!.includes('usesAncestorConfig') ? answer(exempt ? '' : 'True') : OK;
      }
      case 'firestore indexes fields update':
        return this.#put(
          call,
          'firestore exemptions',
          `${flags['--collection-group']}/${call.positionals[0]}`,
          {},
          true,
        );
      case 'storage objects describe':
        return this.#describe(call, 'storage objects');
      case 'storage cp':
        return this.#put(call, 'storage objects', call.positionals[1]!, {});
      case 'storage rm':
        for (const key of [...this.things.keys()]) if (key.includes(call.positionals[0]!)) this.things.delete(key);
        return this.#changed(call);
    }
    switch (verb) {
      case 'describe':
        return this.#describe(call, kind);
      case 'list':
        return this.#list(call, kind);
      case 'create':
        return this.#put(call, kind, nameOf(call), fields(call));
      case 'deploy':
        return this.#put(call, kind, nameOf(call), { ...flags, state: 'ACTIVE' }, true);
      case 'update':
        return this.#put(call, kind, nameOf(call), fields(call), true);
      case 'delete': {
        if (this.things.get(`${kind} ${nameOf(call)}`)?.['--delete-protection'] === '') return fail('it is protected');
        return this.things.delete(`${kind} ${nameOf(call)}`) ? this.#changed(call) : fail('NOT_FOUND');
      }
      default:
        return fail(`the fake does not know: ${command}`);
    }
  }

  #bq(call: Call): Answer {
    const { command, positionals, flags } = call;
    const [name = '', file] = positionals;
    const kind = '--dataset' in flags ? 'bq datasets' : 'bq tables';
    switch (command) {
      case 'show':
        return this.things.has(`${kind} ${name}`)
          ? answer(JSON.stringify({ labels: labelsOf(this.things.get(`${kind} ${name}`)!, ':') }))
          : fail('Not found');
      case 'mk':
        return this.#put(call, kind, name, { ...flags, schema: file === undefined ? '' : readFileSync(file, 'utf8') });
      case 'update':
        return this.#put(
          call,
          kind,
          name,
          { '--label': flags['--set_label']!, schema: readFileSync(file!, 'utf8') },
          true,
        );
      case 'rm':
        this.things.delete(`${kind} ${name}`);
        return this.#changed(call);
      case 'get-iam-policy': {
        const on = `bq tables ${name}: `;
        const bindings = [...this.grants]
          .filter((grant) => grant.startsWith(on))
          .map((grant) => grant.slice(on.length).split(' '))
          .map(([role, member]) => ({ members: [member], role }));
        return answer(JSON.stringify({ bindings }, undefined, 2));
      }
      case 'add-iam-policy-binding':
        this.grants.add(`bq tables ${name}: ${flags['--role']} ${flags['--member']}`);
        return this.#changed(call);
      default:
        return fail(`the fake does not know: bq ${command}`);
    }
  }

  #policy({ positionals, flags }: Call, kind: string): Answer {
    const [, role, member, , title] =
      /^bindings\.role=(\S+) AND bindings\.members=(\S+)( AND bindings\.condition\.title=(\S+))?$/.exec(
        flags['--filter']!,
      )!;
    const wanted = `${kind} ${positionals[0]}: ${role} ${member}`;
    const found = [...this.grants].filter((grant) =>
      title === undefined ? grant === wanted || grant.startsWith(`${wanted} `) : grant === `${wanted} ${title}`,
    );
    return found.length > 0 ? answer(role!) : OK;
  }

  #bind(call: Call, kind: string, add: boolean): Answer {
    const { positionals, flags } = call;
    const account = /^serviceAccount:(millrace-[^@]+)@/.exec(flags['--member']!)?.[1];
    if (account !== undefined && !this.things.has(`iam service-accounts ${account}`))
      return fail(`there is no account ${account}`);
    if (
      kind !== 'projects' &&
      !this.things.has(`${kind === 'run services' ? 'functions' : kind} ${bare(positionals[0]!)}`)
    )
      return fail(`there is no ${kind} ${positionals[0]}`);
    const title = /title=([^,]+)/.exec(flags['--condition'] ?? '')?.[1];
    const grant = `${kind} ${positionals[0]}: ${flags['--role']} ${flags['--member']}`;
    if (add) this.grants.add(title === undefined ? grant : `${grant} ${title}`);
    else
      for (const each of [...this.grants]) if (each === grant || each.startsWith(`${grant} `)) this.grants.delete(each);
    return this.#changed(call);
  }

  #describe(call: Call, kind: string): Answer {
    const thing = this.things.get(`${kind} ${nameOf(call)}`);
    if (thing === undefined) return fail('NOT_FOUND');
    const format = call.flags['--format'] ?? '';
    if (format === 'value(pushConfig.pushEndpoint)') return answer(thing['--push-endpoint'] ?? '');
    if (format.includes('pushConfig.pushEndpoint'))
      return answer(`${labelsOf(thing, '=')['millrace-config'] ?? ''} ${thing['--push-endpoint'] ?? ''}`);
    if (format.includes('(state,labels.millrace-config)'))
      return answer(`${thing['state']} ${labelsOf(thing, '=')['millrace-config'] ?? ''}`);
    if (format.includes('labels.millrace-config')) return answer(labelsOf(thing, '=')['millrace-config'] ?? '');
    if (format.includes('description')) return answer(thing['--description'] ?? '');
    return answer(nameOf(call));
  }

  #list({ flags }: Call, kind: string): Answer {
    const filter = flags['--filter']!;
    const found = this.names(kind).filter((name) => {
      const thing = this.things.get(`${kind} ${name}`)!;
      return (
        filter === `displayName="${thing['displayName']}"` || (thing['labels'] ?? '').includes(filter.split('=')[1]!)
      );
    });
    const format = flags['--format']!;
    if (format === 'value(name)') return found.length === 0 ? OK : answer(found.join('\n'));
    const [thing] = found.map((name) => this.things.get(`${kind} ${name}`)!);
    if (thing === undefined) return OK;
    return answer(
      format.includes('userLabels') ? (JSON.parse(thing['labels']!)['millrace-config'] as string) : thing['labels']!,
    );
  }

  #put(call: Call, kind: string, name: string, fields: Record<string, string>, overwrite = false): Answer {
    const key = `${kind} ${name}`;
    const before = this.things.get(key);
    if (before !== undefined && !overwrite) return fail(`${key} exists already`);
    this.things.set(key, { ...before, ...fields });
    if ('--no-delete-protection' in fields) delete this.things.get(key)!['--delete-protection'];
    return this.#changed(call);
  }

  #changed(call: Call): Answer {
    this.changes.push(call);
    return OK;
  }
}

/** Accounts are named by their address or its first part. */
function bare(name: string): string {
  return name.replace(/@.*$/, '');
}

function nameOf({ command, positionals, flags }: Call): string {
  if (command.startsWith('firestore databases')) return flags['--database']!;
  const config = flags['--config'] ?? fileOf(flags['--policy-from-file']);
  // Cloud Monitoring gives names of its own.
  if (config !== undefined) return (positionals[0] ?? `names/${JSON.parse(config).displayName}`).replaceAll(' ', '_');
  return command.startsWith('iam service-accounts') ? bare(positionals[0]!) : positionals[0]!;
}

/** The flags, and of a configuration that is given as a file or as text what is asked for later. */
function fields({ flags }: Call): Record<string, string> {
  const config = flags['--config'] ?? fileOf(flags['--policy-from-file']) ?? fileOf(flags['--config-from-file']);
  if (config === undefined) return { ...flags };
  const { displayName = '', userLabels, labels, description = '' } = JSON.parse(config);
  return {
    ...flags,
    displayName,
    labels: JSON.stringify(userLabels ?? labels ?? {}),
    '--description': description,
    config,
  };
}

function fileOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : readFileSync(path, 'utf8');
}

function labelsOf(thing: Readonly<Record<string, string>>, separator: string): Record<string, string> {
  const text = thing['--update-labels'] ?? thing['--labels'] ?? thing['--label'] ?? '';
  return Object.fromEntries(text.split(',').map((pair) => pair.split(separator)));
}

function indexOf({ flags }: Call): string {
  const columns = flags['--field-config']!.split('\n').map((config) => /field-path=([^,]+)/.exec(config)![1]);
  return `${flags['--collection-group']}:${columns.join(',')},__name__`;
}

/** A flag that is given several times keeps all values, a line each. */
function parse(args: readonly string[]): { words: string[]; flags: Record<string, string> } {
  const words: string[] = [];
  const flags: Record<string, string> = {};
  for (const arg of args) {
    const match = /^(--[\w-]+)(?:=([\s\S]*))?$/.exec(arg);
    if (match === null) words.push(arg);
    else flags[match[1]!] = match[1]! in flags ? `${flags[match[1]!]}\n${match[2]}` : (match[2] ?? '');
  }
  return { words, flags };
}

function longestCommand(words: readonly string[]): string | undefined {
  for (let length = words.length; length > 0; length--) {
    const command = words.slice(0, length).join(' ');
    if (command in KNOWN.commands) return command;
  }
  return undefined;
}

function bqCommand(words: readonly string[]): string | undefined {
  return words[0];
}
