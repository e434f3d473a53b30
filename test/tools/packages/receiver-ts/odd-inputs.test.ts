// Inputs of other realms, platforms and stores than the usual ones.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import {
  MemoryDeliveryStore,
  Receiver,
  type ReceiverOptions,
  type SignedRequest,
  Verifier,
} from '../../../../packages/receiver-ts/src/index.ts';
import { type NodeRequest, nodeReceiver } from '../../../../packages/receiver-ts/src/node.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';

const OtherUint8Array = runInNewContext('Uint8Array') as Uint8ArrayConstructor;

/** Returns the ID of the event, or the code of the refusal. */
async function verdict(request: SignedRequest, now = Date.now): Promise<unknown> {
  const verifier = new Verifier({ secrets: receiverSecret, now });
  return verifier.verify(request).then(
    ({ event }) => event.eventId,
    ({ code }: { code: unknown }) => code,
  );
}

test('bytes of another realm are bytes', async () => {
  const { headers, body } = signedDelivery();
  const bytes = new OtherUint8Array(Buffer.from(body));
  expect(bytes).not.toBeInstanceOf(Uint8Array);
  expect(await verdict({ headers, body: bytes })).toBe('evt_1');
});

test('a platform may keep the body as bytes of another realm', async () => {
  const [sent, handled] = [signedDelivery(), [] as string[]];
  const handle = nodeReceiver({
    secrets: receiverSecret,
    onEvent: ({ eventId }) => handled.push(eventId),
  });
  const server = createServer((request: NodeRequest, response) => {
    request.on('end', () => void handle(request, response)).resume();
    request.body = new OtherUint8Array(Buffer.from(sent.body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const { status } = await fetch(`http://127.0.0.1:${port}/`, sent);
  server.close();
  expect([status, handled]).toEqual([204, ['evt_1']]);
});

test.each([{}, new DataView(new ArrayBuffer(8)), new Uint16Array(4), null, undefined])(
  '%s is no body',
  async (body) => {
    const { headers } = signedDelivery();
    const verifying = new Verifier({ secrets: receiverSecret }).verify({
      headers,
      body: body as string,
    });
    await expect(verifying).rejects.toThrow(/^body is not the bytes that arrived/);
  },
);

test('values of headers may be lists and numbers', async () => {
  const { headers, body } = signedDelivery();
  const listed = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, [text]]));
  expect(await verdict({ headers: listed, body })).toBe('evt_1');
  const odd = { ...headers, 'Content-Length': 7, 'Webhook-Timestamp': null };
  expect(await verdict({ headers: odd as unknown as typeof headers, body: `${body} ` })).toBe(
    'body_already_read',
  );
});

test.each([() => Number.NaN, () => undefined as unknown as number])(
  'a clock without a time accepts nothing',
  async (now) => {
    expect(await verdict(signedDelivery(), now)).toBe('timestamp_too_old');
  },
);

test('the clock may be null, like an absent one', async () => {
  const now = null as unknown as undefined;
  const verifier = new Verifier({ secrets: receiverSecret, now });
  expect((await verifier.verify(signedDelivery())).event.eventId).toBe('evt_1');
});

test.each([undefined, true, null, 'OK'])(
  'a store that claims %j is a failure, and loses no event',
  async (claim) => {
    const errors: unknown[] = [];
    const deliveries = new MemoryDeliveryStore();
    const options: ReceiverOptions = {
      secrets: receiverSecret,
      onEvent: () => undefined,
      onError: (error) => errors.push(error),
      deliveries: Object.assign(deliveries, { claim: () => claim as unknown as 'new' }),
    };
    const { headers, body } = signedDelivery();
    const readBody = () => Buffer.from(body);
    const { status } = await new Receiver(options).receive({ method: 'POST', headers, readBody });
    expect(status).toBe(500);
    expect(errors).toEqual([new TypeError(`a store must not claim ${String(claim)}`)]);
  },
);
