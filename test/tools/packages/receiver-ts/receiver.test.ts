// From a delivery to its response: the handling cases, which all receivers pass, with the memory store and the store of the
// README; what is refused or fails; and what the memory stores forget.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { attemptLimits } from '../../../../lib/limits.ts';
import { signBody } from '../../../../lib/webhooks/signature.ts';
import { fetchReceiver } from '../../../../packages/receiver-ts/src/fetch.ts';
import {
  BodyTooLarge,
  type DeliveryStore,
  MemoryDeliveryStore,
  MemorySequenceStore,
  type ReceiverOptions,
  rememberMs,
  type SequenceStore,
} from '../../../../packages/receiver-ts/src/index.ts';
import { handlingCases, type HandlingStep } from '../../../support/receiver-cases.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';
import { fakeOnly } from '../../../support/fake-only.ts';

interface Ending {
  resolve: () => void;
  reject: (error: Error) => void;
}
type MakeStore = (now: () => number) => DeliveryStore;

const notExpected = ({ reject }: Ending): void => reject(new Error('it was handled'));

/** Plays the steps of a case. A `deliver` without a status starts a handler, which `end` ends. */
function playerOf(makeStore: MakeStore) {
  const clock = { ms: 0 };
  const running = new Map<string, { ending: Ending; status: Promise<number> }>();
  let enter: (ending: Ending) => void = notExpected;
  const handle = fetchReceiver({
    secrets: receiverSecret,
    deliveries: makeStore(() => clock.ms),
    sequences: new MemorySequenceStore(),
    onEvent: () => new Promise<void>((done, reject) => enter({ resolve: done, reject })),
  });
  const send = async (step: DeliverStep): Promise<number> => {
    const { eventId, uid = 'agt_1', sequence = null, header } = step;
    const sent = signedDelivery({ eventId, uid, sequence, header });
    return (await handle(new Request('http://receiver.test', sent))).status;
  };
  const begin = async (step: DeliverStep): Promise<void> => {
    const entered = new Promise<Ending>((done) => (enter = done));
    const status = send(step);
    const unhandled = status.then((number) =>
      Promise.reject<Ending>(new Error(`${step.deliver} was answered ${number}, not handled`)),
    );
    running.set(step.deliver, { ending: await Promise.race([entered, unhandled]), status });
    enter = notExpected;
  };
  return async (step: HandlingStep): Promise<void> => {
    if ('waitSeconds' in step) clock.ms += step.waitSeconds * 1_000;
    else if ('deliver' in step) {
      if (step.status === undefined) return begin(step);
      expect([step.deliver, await send(step)]).toEqual([step.deliver, step.status]);
    } else {
      const { ending, status } = running.get(step.end) as {
        ending: Ending;
        status: Promise<number>;
      };
      if (step.fails === true) ending.reject(new Error('not now'));
      else ending.resolve();
      expect([step.end, await status]).toEqual([step.end, step.status]);
    }
  };
}
type DeliverStep = Extract<HandlingStep, { deliver: string }>;

/** Behaves like Redis for the commands and scripts of the README. */
function fakeRedis(now: () => number) {
  const values = new Map<string, { value: string; until: number }>();
  const read = (key: string): string | null => {
    const kept = values.get(key);
    return kept !== undefined && now() < kept.until ? kept.value : null;
  };
  const write = (key: string, { value, ms }: { value: string; ms: number }) =>
    values.set(key, { value, until: now() + ms });
  return {
    async set(key: string, value: string, { PX }: { NX: boolean; PX: number }) {
      if (read(key) !== null) return null;
      write(key, { value, ms: PX });
      return 'OK';
    },
    get: async (key: string) => read(key),
    async eval(script: string, { keys: [key = ''], arguments: [token = '', ms] }: ScriptInput) {
      const held = read(key);
      if (script.includes("'done'")) {
        if (held === null || held === token) write(key, { value: 'done', ms: Number(ms) });
      } else if (held === token) values.delete(key);
    },
  };
}
interface ScriptInput {
  keys: string[];
  arguments: string[];
}

let folder = '';
let redisStore: (redis: unknown) => DeliveryStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redis-store-'));
  const readme = await readFile('packages/receiver-ts/README.md', 'utf8');
  const snippets = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
  const code = snippets.find((each) => each.includes('function redisStore')) ?? '';
  const source = pathToFileURL(resolve('packages/receiver-ts/src/index.ts')).href;
  await writeFile(join(folder, 'store.ts'), code.replace('@agent-herald/receiver', source));
  ({ redisStore } = (await import(join(folder, 'store.ts'))) as {
    redisStore: (redis: unknown) => DeliveryStore;
  });
});
afterAll(() => rm(folder, { recursive: true }));

describe.each<[string, MakeStore]>([
  ['the store in memory', (now) => new MemoryDeliveryStore({ now })],
  ['the store of the README', (now) => redisStore(fakeRedis(now))],
])('%s', (_name, makeStore) => {
  test.each(handlingCases)('$name', async ({ steps }) => {
    const play = playerOf(makeStore);
    for (const step of steps) await play(step);
  });
});

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
    deliveries: broken(new MemoryDeliveryStore()) as DeliveryStore,
    sequences: broken(new MemorySequenceStore()) as SequenceStore,
    mend: () => {
      isBroken = false;
    },
  };
}

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

test('without a sequence store every change is handled', async () => {
  const { deliver, handled } = setUp();
  await deliver({ eventId: 'evt_3', sequence: 3 });
  await deliver({ eventId: 'evt_2', sequence: 2 });
  expect(handled).toEqual(['evt_3', 'evt_2']);
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

test.each(['GET', 'HEAD'])('a %s gets 405', async (method) => {
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

test.each(['claim', 'complete', 'newest', 'advance'] as const)(
  'when %s of a store fails, the response is 500, and the next attempt is handled',
  async (method) => {
    const { deliveries, sequences, mend } = failingStores(method);
    const { deliver, errors, handled } = setUp({ deliveries, sequences });
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

test.each([undefined, true, 'OK'])(
  'a store that claims %j is a failure, and loses no event',
  async (claim) => {
    const claims = { claim: () => claim as unknown as 'new' };
    const { deliver, errors } = setUp({
      deliveries: Object.assign(new MemoryDeliveryStore(), claims),
    });
    expect(await deliver()).toBe(500);
    expect(errors).toEqual([new TypeError(`a store must not claim ${String(claim)}`)]);
  },
);

const storeOf = (options = {}) => {
  const clock = { ms: 1_000_000 };
  return { clock, store: new MemoryDeliveryStore({ now: () => clock.ms, ...options }) };
};

test('a handled event is forgotten after keepMs, even if nobody asks for it', () => {
  const { store, clock } = storeOf({ keepMs: 100 });
  store.complete('evt_1', 'a');
  clock.ms += 99;
  expect(store.claim('evt_1', 'b')).toBe('done');
  clock.ms += 1;
  store.claim('evt_2', 'c');
  expect(store.size).toBe(1);
  expect(store.claim('evt_1', 'b')).toBe('new');
});

test('lapsed claims are forgotten, even if nobody asks for them', () => {
  const { store, clock } = storeOf();
  for (const eventId of ['evt_1', 'evt_2', 'evt_3']) store.claim(eventId, 'a');
  clock.ms += 5 * 60_000;
  store.claim('evt_4', 'a');
  expect(store.size).toBe(1);
});

test('of more events than countMax the oldest handled ones are forgotten, but no claims', () => {
  const { store } = storeOf({ countMax: 2 });
  for (const eventId of ['evt_4', 'evt_5', 'evt_6']) store.claim(eventId, 'a');
  for (const eventId of ['evt_1', 'evt_2', 'evt_1', 'evt_3']) store.complete(eventId, 'a');
  expect(store.size).toBe(2 + 3);
  expect(store.claim('evt_1', 'b')).toBe('done');
  expect(store.claim('evt_2', 'b')).toBe('new');
  expect(store.claim('evt_4', 'b')).toBe('busy');
});

test('setting the clock forward ends no claim', () => {
  fakeOnly('Date');
  try {
    const store = new MemoryDeliveryStore();
    store.claim('evt_1', 'a');
    jest.setSystemTime(Date.now() + 3_600_000);
    expect(store.claim('evt_1', 'b')).toBe('busy');
  } finally {
    jest.useRealTimers();
  }
});

test('a handled event is remembered for longer than its retries can take', () => {
  expect(rememberMs).toBeGreaterThan(attemptLimits.retriesTimeoutMs);
});

test('of more resources than countMax the least recently changed ones are forgotten', () => {
  const store = new MemorySequenceStore({ countMax: 2 });
  for (const resource of ['a', 'b', 'a', 'c']) store.advance(resource, 7);
  expect(store.size).toBe(2);
  expect(['a', 'b', 'c'].map((resource) => store.newest(resource))).toEqual([7, 0, 7]);
});
