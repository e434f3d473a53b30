// Two api and two worker processes behind a balancer take a constant load from callers that do not wait. It reveals
// anything that grows under load, which callers that wait for responses would slow down instead.
import { setTimeout as sleep } from 'node:timers/promises';
import { Disposal } from '../../lib/platform/disposal.ts';
import { createApiClient } from '../support/api-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Answers, makeCalls, prepareChanges } from './changes.ts';
import { startBalancer } from './rolling/balancer.ts';

const given = process.env['HERALD_SOAK_RATE'];
const seconds = 20;
// Few enough that concurrent changes often affect the same resource.
const resources = 200;
const answersWithinMs = 300;
const settleMs = 60_000;

interface Result extends Answers {
  orderings: readonly string[];
  events: number;
  /** The time from the last response to the last delivery. */
  drainMs: number;
  /** Events that the relay started instead of the api. */
  relayed: number;
}

async function run(
  open: Disposal,
  orderings: readonly string[],
  changesPerSecond: number,
): Promise<Result> {
  const installation = open.use(await createInstallation());
  const { env, app, store } = installation;
  const balancer = open.use(await startBalancer());
  const start = async (role: 'api' | 'worker'): Promise<RoleProcess> =>
    open.use(await startRole(role, env));
  const apis = [await start('api'), await start('api')];
  const workers = [await start('worker'), await start('worker')];
  for (const api of apis) await balancer.add(api.port);
  const receiver = open.use(
    await startReceiver((response) => {
      void sleep(answersWithinMs * Math.random()).then(() => response.writeHead(200).end());
    }),
  );
  const client = createApiClient(balancer.url, app);
  for (const [index, ordering] of orderings.entries()) {
    const entities = ['agent', 'context', 'contextfile'];
    const body = { url: `${receiver.url}/${index}`, entities, active: true, ordering };
    expect((await client.call('POST', '/webhooks', { body })).status).toBe(201);
  }
  const change = await prepareChanges(client, { seed: 1, resources });
  await allDelivered(installation, orderings.length);

  const eventsBefore = await store.events.countDocuments();
  const answers = await makeCalls(change, { changesPerSecond, seconds });
  const answeredAt = performance.now();
  await allDelivered(installation, orderings.length);
  const drainMs = Math.round(performance.now() - answeredAt);
  const events = (await store.events.countDocuments()) - eventsBefore;
  return { orderings, ...answers, events, drainMs, relayed: relayedBy(workers) };
}

async function allDelivered({ store }: Installation, webhooks: number): Promise<void> {
  const owed = (await store.events.countDocuments()) * webhooks;
  await waitFor(
    async () => (await store.deliveries.countDocuments({ state: 'delivered' })) >= owed,
    { what: 'every delivery', timeoutMs: settleMs },
  );
}

function relayedBy(workers: readonly RoleProcess[]): number {
  const sweeps = workers.flatMap(({ lines }) => lines).filter(({ msg }) => msg === 'relay.swept');
  return sweeps.reduce((sum, { started }) => sum + Number(started), 0);
}

test.each([
  { what: 'two parallel webhooks', orderings: ['parallel', 'parallel'], changesPerSecond: 80 },
  {
    what: 'an ordered and a parallel webhook',
    orderings: ['resource', 'parallel'],
    changesPerSecond: 40,
  },
])(
  'with $what $changesPerSecond changes per second are accepted and delivered, and none refused',
  async ({ orderings, changesPerSecond }) => {
    const open = new Disposal();
    try {
      const rate = given === undefined ? changesPerSecond : Number(given);
      const result = await run(open, orderings, rate);
      process.stdout.write(`${JSON.stringify(result)}\n`);
      expect(Object.keys(result.answers).toSorted()).toEqual(['200', '201', '202']);
      // A few may be late. Under a self-reinforcing load it was half of them.
      expect(result.relayed).toBeLessThan(0.1 * result.events);
    } finally {
      await open[Symbol.asyncDispose]();
    }
  },
  180_000,
);
