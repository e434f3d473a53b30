// Checks that run with an open connection, right before a request is written.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';

const policy = {
  allowHttp: true,
  ports: 'any' as const,
  allowCidrs: ['127.0.0.0/8'],
  denyCidrs: [],
};
const message = { headers: {}, body: '{}' };
const open = new Disposal();
let receiver: Receiver;

beforeAll(async () => {
  receiver = open.use(await startReceiver((response) => response.end()));
});

afterAll(() => open[Symbol.asyncDispose]());

test('an error that the caller throws before a request ends the send, on a new connection and on a kept one', async () => {
  await using sender = createHttpSender({ policy });
  const refused = new Error('no longer mine');
  let calls = 0;
  const refusing = {
    url: receiver.url,
    ...message,
    beforeRequest: () => {
      calls += 1;
      throw refused;
    },
  };
  await expect(sender.send(refusing)).rejects.toBe(refused);
  expect(await sender.send({ url: receiver.url, ...message })).toMatchObject({ status: 200 });
  await expect(sender.send(refusing)).rejects.toBe(refused);
  expect(calls).toBe(2);
  expect(receiver.requests).toHaveLength(1);
});
