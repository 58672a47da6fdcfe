import { describe, expect, test } from 'vitest';
import { planCommand } from '../../functions/cli/plan-command.ts';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import flights from '../../functions/pipelines/flights.ts';
import { plan } from '../../functions/plan/plan.ts';
import { tfvars } from '../../functions/plan/tfvars.ts';

/** What the command prints. @throws what it throws */
async function printed(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const io = { out: (line: string) => lines.push(line), err: () => {}, stdin: process.stdin, isTerminal: false };
  const command = planCommand(io as never)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} });
  await command.parseAsync(args, { from: 'user' });
  return lines.join('\n');
}

describe('millrace plan', () => {
  test('shows people stages, functions and the price of both shapes', async () => {
    const text = await printed('flights', '--rate', '1000');
    expect(text).toMatch(/^delays +reduce +flights +- +4 +1 +-$/m);
    expect(text).toMatch(/^departures +writeBigQuery +delays +- +1 +1 +table departures_by_airport$/m);
    expect(text).toMatch(/^millrace-flights--delays--0 +\/stages\/delays +512 MiB +250 +at most 1 +120 s$/m);
    expect(text).toMatch(/^functions +0 .+$/m);
    expect(text).toMatch(/^services +1000 .+$/m);
    expect(text).toContain('US dollars at list prices of 2026-08');
  });

  test('prints one form at a time, and reverses the script only', async () => {
    await expect(printed('flights', '--json', '--mermaid')).rejects.toThrow(
      "option '--json' cannot be used with option '--mermaid'",
    );
    await expect(printed('flights', '--delete')).rejects.toThrow('--delete: the script that --gcloud prints');
  });

  test('--json is the manifest', async () => {
    const manifest = deploymentManifest(plan(flights, { slots: 2 }), { shape: 'services', topology: 3 });
    expect(
      JSON.parse(await printed('flights', '--json', '--slots', '2', '--shape', 'services', '--topology', '3')),
    ).toEqual(manifest);
  });

  test('--tfvars is what infra/ reads', async () => {
    expect(JSON.parse(await printed('flights', '--tfvars'))).toEqual(
      JSON.parse(JSON.stringify(tfvars(deploymentManifest(plan(flights))))),
    );
  });

  test('--mermaid is a picture', async () => {
    expect(await printed('flights', '--mermaid')).toBe(
      [
        'flowchart LR',
        '  n_flights(["source flights<br/>topic flights<br/>then by-airport, hourly"])',
        '  n_delays["stage delays<br/>reduce<br/>4 shards, 1 slot"]',
        '  n_departures[("stage departures<br/>table departures_by_airport<br/>1 shard, 1 slot")]',
        '  n_flights --> n_delays',
        '  n_delays --> n_departures',
      ].join('\n'),
    );
  });

  test('--gcloud is a script, and with --delete its reverse', async () => {
    const made = await printed('flights', '--gcloud');
    expect(made).toMatch(/^#!\/usr\/bin\/env bash\n# Makes what the pipeline 'flights' needs/);
    expect(made).toContain('ensure_topic millrace-flights--delays--0');
    const removed = await printed('flights', '--gcloud', '--delete');
    expect(removed).toContain("# Removes what the pipeline 'flights' needs");
    expect(removed).not.toMatch(/^(ensure_\w+|admit) /m);
  });

  test.each([
    [['nope'], "there is no pipeline 'nope'; known are "],
    [['flights', '--slots', '9'], 'slots: expected a whole number from 1 to 4, got 9'],
    [['flights', '--slots', 'many'], "--slots: expected a whole number, got 'many'"],
    [
      ['flights', '--gcloud', '--topology', '2'],
      '--topology: the script that --gcloud prints asks the pipeline for it; leave it out',
    ],
    [['flights', '--rate', '-1'], "--rate: expected a number from 0 and up, got '-1'"],
    [['flights', '--shape', 'pods'], "argument 'pods' is invalid. Allowed choices are functions, services."],
    [[], "missing required argument 'pipeline'"],
  ])('%j is refused', async (args, message) => {
    await expect(printed(...args)).rejects.toThrow(message);
  });
});
