import { describe, expect, it } from 'vitest';
import { openClients } from '../../emulators/relay/clients.ts';
import { checkOptions } from '../../emulators/relay/settings.ts';

describe("a relay's options", () => {
  it('are refused with all problems at once, each naming its field and value', () => {
    const options = {
      projectId: 'p',
      routes: [
        { subscription: 'a', url: 'https://example.com/', concurrency: 0 },
        { subscription: 'a', url: 'nonsense', retryBackoff: { minimum: 5, maximum: 1 } },
        { subscription: 'projects/p/subscriptions/b', url: 'http://127.0.0.1/' },
      ],
      troubles: { seed: 1, drop: { share: 1.5, subscriptions: ['c'] }, duplicate: { share: 0.5 } },
    };
    expect(() => checkOptions(options)).toThrow(
      [
        '8 problems:',
        "- routes[0] (a).url: expected an http:// address, got 'https://example.com/'",
        '- routes[0] (a).concurrency: expected a whole number from 1 to 10000, got 0',
        '- routes[1] (a).subscription: has two routes; join their functions',
        "- routes[1] (a).url: expected an http:// address, got 'nonsense'",
        '- routes[1] (a).retryBackoff: expected 0 <= minimum <= maximum, got 5 and 1',
        '- routes[2] (projects/p/subscriptions/b).subscription: expected a short name without "/"',
        '- troubles.drop.share: expected a number from 0 to 1, got 1.5',
        "- troubles.drop.subscriptions: no route has the subscription 'c'",
      ].join('\n'),
    );
  });

  it('never lead to the real Pub/Sub', async () => {
    await expect(openClients('p', undefined)).rejects.toThrow('PUBSUB_EMULATOR_HOST is not set; start the emulator');
  });
});
