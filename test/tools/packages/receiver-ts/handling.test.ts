// The handling cases, which all receivers pass, with the memory store and the store of the README.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchReceiver } from '../../../../packages/receiver-ts/src/fetch.ts';
import {
  type DeliveryStore,
  MemoryDeliveryStore,
  MemorySequenceStore,
} from '../../../../packages/receiver-ts/src/index.ts';
import { handlingCases, type HandlingStep } from '../../../support/receiver-cases.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';

interface Ending {
  resolve: () => void;
  reject: (error: Error) => void;
}
type MakeStore = (now: () => number) => DeliveryStore;

const notExpected = ({ reject }: Ending): void => reject(new Error('it was handled'));

/** Plays the steps of a case. A `deliver` without a status starts a handler, which `end` ends. */
function setUp(makeStore: MakeStore) {
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
      expect(await send(step), step.deliver).toBe(step.status);
    } else {
      const { ending, status } = running.get(step.end) as {
        ending: Ending;
        status: Promise<number>;
      };
      if (step.fails === true) ending.reject(new Error('not now'));
      else ending.resolve();
      expect(await status, step.end).toBe(step.status);
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
    const play = setUp(makeStore);
    for (const step of steps) await play(step);
  });
});
