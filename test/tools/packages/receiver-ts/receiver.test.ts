// From a delivery to its response: each event once, the newest of each resource, and failed ones are sent again.
import { expect, test } from 'vitest';
import { signBody } from '../../../../lib/webhooks/signature.ts';
import { fetchReceiver } from '../../../../packages/receiver-ts/src/fetch.ts';
import {
  BodyTooLarge,
  type DeliveryStore,
  MemoryDeliveryStore,
  MemorySequenceStore,
  type ReceiverOptions,
  type SequenceStore,
  WebhookRefused,
} from '../../../../packages/receiver-ts/src/index.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';

type Wanted = Parameters<typeof signedDelivery>[0];

function setUp(options: Partial<ReceiverOptions> = {}) {
  const handled: string[] = [];
  const errors: unknown[] = [];
  const handle = fetchReceiver({
    secrets: receiverSecret,
    onEvent: ({ eventId }) => handled.push(eventId),
    onError: (error) => errors.push(error),
    ...options,
  });
  const deliver = async (wanted: Wanted = {}): Promise<number> => {
    const response = await handle(new Request('http://receiver.test', signedDelivery(wanted)));
    return response.status;
  };
  return { handle, handled, errors, deliver };
}

/** Stores of which one method fails until it is repaired. */
function failingStores(method: keyof DeliveryStore | keyof SequenceStore) {
  let isBroken = true;
  const broken = (target: object) =>
    new Proxy(target, {
      get(store, name) {
        if (isBroken && name === method) return () => Promise.reject(new Error('no connection'));
        const own = Reflect.get(store, name) as (...args: unknown[]) => unknown;
        return own.bind(store);
      },
    });
  return {
    failing: broken(new MemoryDeliveryStore()) as DeliveryStore,
    sequences: broken(new MemorySequenceStore()) as SequenceStore,
    mend: () => {
      isBroken = false;
    },
  };
}

test('an event is handled once, however often it arrives', async () => {
  const { deliver, handled } = setUp();
  expect(await deliver()).toBe(204);
  expect(await deliver()).toBe(204);
  expect(await deliver({ eventId: 'evt_2' })).toBe(204);
  expect(handled).toEqual(['evt_1', 'evt_2']);
});

test('a handler that failed gets the next attempt', async () => {
  let calls = 0;
  const onEvent = () => {
    calls += 1;
    if (calls === 1) throw new Error('not now');
  };
  const { deliver, errors } = setUp({ onEvent });
  expect(await deliver()).toBe(500);
  expect(errors).toEqual([new Error('not now')]);
  expect(await deliver()).toBe(204);
  expect(await deliver()).toBe(204);
  expect(calls).toBe(2);
});

test('a test event is acknowledged, and handled only on request', async () => {
  const { deliver, handled } = setUp();
  expect(await deliver({ isTest: true })).toBe(204);
  expect(handled).toEqual([]);
  const tests: string[] = [];
  const asked = setUp({ onTest: ({ eventId }) => tests.push(eventId) });
  expect(await asked.deliver({ isTest: true })).toBe(204);
  expect(tests).toEqual(['evt_1']);
  expect(asked.handled).toEqual([]);
});

test('with a sequence store, a change older than a handled one is not handled', async () => {
  const { deliver, handled } = setUp({ sequences: new MemorySequenceStore() });
  await deliver({ eventId: 'evt_3', sequence: 3 });
  expect(await deliver({ eventId: 'evt_2', sequence: 2 })).toBe(204);
  await deliver({ eventId: 'evt_3b', sequence: 3 });
  await deliver({ eventId: 'evt_1', sequence: 1, uid: 'agt_2' });
  await deliver({ eventId: 'evt_n', sequence: null });
  expect(handled).toEqual(['evt_3', 'evt_3b', 'evt_1', 'evt_n']);
});

test('without a sequence store every change is handled', async () => {
  const { deliver, handled } = setUp();
  await deliver({ eventId: 'evt_3', sequence: 3 });
  await deliver({ eventId: 'evt_2', sequence: 2 });
  expect(handled).toEqual(['evt_3', 'evt_2']);
});

test('a refused request gets its code, and is reported', async () => {
  const { handle, errors, handled } = setUp();
  const wrong = signedDelivery({ secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' });
  const response = await handle(new Request('http://receiver.test', wrong));
  expect(response.status).toBe(401);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({ code: 'signature_mismatch' });
  expect(errors).toEqual([expect.any(WebhookRefused)]);
  expect(handled).toEqual([]);
});

test.each([
  ['event_id_mismatch', { eventId: 'evt_2' }],
  ['invalid_body', { data: null }],
])('a signed body refused as %s gets 400', async (code, fields) => {
  const { handle } = setUp({ scheme: 'body-only' });
  const { body } = signedDelivery();
  const changed = JSON.stringify({ ...(JSON.parse(body) as object), ...fields });
  const signature = signBody(receiverSecret, changed);
  const headers = { 'X-Webhook-Signature': signature, 'X-Webhook-Event-Id': 'evt_1' };
  const request = new Request('http://receiver.test', { method: 'POST', headers, body: changed });
  const response = await handle(request);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ code });
});

test.each(['GET', 'PUT', 'HEAD'])('a %s gets 405', async (method) => {
  const { handle, errors } = setUp();
  const response = await handle(new Request('http://receiver.test', { method }));
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('POST');
  expect(errors).toEqual([]);
});

test.each([true, false])('a body over the limit gets 413 (length declared: %s)', async (isTold) => {
  const { body, headers, method } = signedDelivery({ bytes: 1_000 });
  const bytes = Buffer.byteLength(body);
  const request = () =>
    new Request('http://receiver.test', {
      method,
      headers: isTold ? { ...headers, 'Content-Length': String(bytes) } : headers,
      body,
    });
  const within = setUp({ bodyBytesMax: bytes });
  expect((await within.handle(request())).status).toBe(204);
  const beyond = setUp({ bodyBytesMax: bytes - 1 });
  expect((await beyond.handle(request())).status).toBe(413);
  expect(beyond.errors).toEqual([expect.any(BodyTooLarge)]);
});

test.each(['claim', 'complete'] as const)(
  'when %s of the store fails, the response is 500, and the next attempt is handled',
  async (method) => {
    const { failing, mend } = failingStores(method);
    const { deliver, errors, handled } = setUp({ deliveries: failing });
    expect(await deliver()).toBe(500);
    expect(errors).toEqual([new Error('no connection')]);
    mend();
    handled.length = 0;
    expect(await deliver()).toBe(204);
    expect(handled).toEqual(['evt_1']);
  },
);

test('a claim that was made but whose response was lost is released', async () => {
  const store = new MemoryDeliveryStore();
  const { deliver } = setUp({
    deliveries: {
      claim(eventId, token) {
        store.claim(eventId, token);
        throw new Error('no connection');
      },
      complete: (eventId, token) => store.complete(eventId, token),
      release: (eventId, token) => store.release(eventId, token),
    },
  });
  expect(await deliver()).toBe(500);
  expect(store.claim('evt_1', 'other')).toBe('new');
});

test.each(['newest', 'advance'] as const)(
  'when %s of the sequences fails, the response is 500, and the next attempt is handled',
  async (method) => {
    const { sequences, mend } = failingStores(method);
    const { deliver, errors, handled } = setUp({ sequences });
    expect(await deliver()).toBe(500);
    expect(errors).toEqual([new Error('no connection')]);
    mend();
    handled.length = 0;
    expect(await deliver()).toBe(204);
    expect(handled).toEqual(['evt_1']);
  },
);

test('when release fails too, both failures are reported', async () => {
  const store = new MemoryDeliveryStore();
  const deliveries: DeliveryStore = {
    claim: (eventId, token) => store.claim(eventId, token),
    complete: () => Promise.reject(new Error('first')),
    release: () => Promise.reject(new Error('second')),
  };
  const { deliver, errors } = setUp({ deliveries });
  expect(await deliver()).toBe(500);
  expect(errors).toEqual([new Error('second'), new Error('first')]);
});
