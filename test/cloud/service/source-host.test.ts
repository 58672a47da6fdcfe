import { describe, expect, it } from 'vitest';
import { sourceMessage } from '../../../functions/cloud/service/source-host.ts';
import { epochMillis } from '../../../functions/model/time.ts';

const NOW = epochMillis(5_000);

function message(data: Buffer, publishTime: number | undefined = 1_000) {
  return sourceMessage(
    {
      messageId: '7',
      publishTime: publishTime === undefined ? undefined : epochMillis(publishTime),
      data,
      attributes: { kind: 'order' },
      orderingKey: undefined,
      deliveryAttempt: undefined,
      subscription: undefined,
    },
    NOW,
  );
}

describe('a pushed message of a source', () => {
  it('is its JSON, under its id and publish time', () => {
    expect(message(Buffer.from('{"a":[1,"ü"]}'))).toEqual({
      id: '7',
      publishTime: 1_000,
      attributes: { kind: 'order' },
      data: { a: [1, 'ü'] },
    });
  });

  it.each(['no JSON', '', '{"a":'])('is its text where that is no JSON: %s', (text) => {
    expect(message(Buffer.from(text)).data).toBe(text);
  });

  it('says so when it is not even text, and keeps the bytes', () => {
    expect(message(Buffer.from([0xff, 0xfe, 0x00]))).toMatchObject({
      data: '//4A',
      problem: 'the payload is not UTF-8; it is shown in base64',
    });
  });

  it('counts as published now where its sender left that out', () => {
    const { publishTime } = sourceMessage(
      {
        messageId: '7',
        publishTime: undefined,
        data: Buffer.from('1'),
        attributes: {},
        orderingKey: undefined,
        deliveryAttempt: undefined,
        subscription: undefined,
      },
      NOW,
    );
    expect(publishTime).toBe(5_000);
  });
});
