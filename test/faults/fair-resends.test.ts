// Whatever one application leaves waiting, another one's resends take little longer than alone. With an api and a
// worker process, from the call to its receipt.
import { Client, Connection } from '@temporalio/client';
import { nowMs } from '../../dev/bench/clock.ts';
import { forEachLimit } from '../../lib/concurrency/for-each-limit.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { attemptLimits } from '../../lib/limits.ts';
import type { StoredWebhook } from '../../lib/model/webhook.ts';
import { addApp, type TestApp } from '../support/add-app.ts';
import { endWorkflows } from '../support/end-workflows.ts';
import { insertWebhook, newEvent } from '../support/fixtures.ts';
import { isFull, watchIdleShare } from '../support/idle-share.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type ReceiversApart, startReceiversApart } from '../support/receivers-apart.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

const resendCount = 11;
const busyMs = 150;
/** Where less of the processors is idle, the machine is late, and not a queue. */
const idleShareMin = 0.2;

const open = new Disposal();
let installation: Installation;
let receivers: ReceiversApart;
let api: RoleProcess;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receivers = open.use(await startReceiversApart(2));
  api = open.use(await startRole('api', installation.env));
  open.use(await startRole('worker', installation.env));
});

afterAll(async () => {
  await open[Symbol.asyncDispose]();
  const { address, namespace } = installation.config.temporal;
  const connection = await Connection.connect({ address });
  await endWorkflows(new Client({ connection, namespace }));
  await connection.close();
});

const makeApp = (name: string): Promise<TestApp> =>
  addApp({ ...installation, apiUrl: `http://127.0.0.1:${api.port}` }, name);

const insert = (
  app: TestApp,
  fields: Partial<StoredWebhook> & { url: string },
): Promise<StoredWebhook> => insertWebhook({ ...installation, app }, fields);

interface Resender {
  app: TestApp;
  eventId: string;
}

/** Creates an application with one event, which its webhook has received. */
async function makeResender(): Promise<Resender> {
  const app = await makeApp('Other');
  const url = receivers.urlOf({ manner: 'quick', name: 'quick' });
  await insert(app, { url, entities: ['agent'] });
  const eventId = await reportChange(app);
  const delivered = { eventId, state: 'delivered' } as const;
  const { deliveries } = installation.store;
  await waitFor(async () => (await deliveries.countDocuments(delivered)) === 1);
  return { app, eventId };
}

/** Resends the event several times, one after another, and returns the median time until its receipt, in ms. */
async function medianOfResends({ app, eventId }: Resender): Promise<number> {
  const tookMs: number[] = [];
  for (let n = 0; n < resendCount; n += 1) {
    const beganAtMs = nowMs();
    let arrivedAtMs: number | undefined;
    const stop = receivers.watch((arrivals) => {
      arrivedAtMs ??= arrivals.find(
        (each) => each.eventId === eventId && each.atMs >= beganAtMs,
      )?.atMs;
    });
    const answer = await app.call('POST', `/events/${eventId}/resend`, { body: {} });
    expect(answer.status).toBe(202);
    tookMs.push((await waitFor(() => arrivedAtMs, { what: 'the resent event' })) - beganAtMs);
    stop();
  }
  return Math.round(tookMs.toSorted((a, b) => a - b)[Math.floor(resendCount / 2)] ?? NaN);
}

// A control in the same run cannot predict what else the machine does a moment later.
jest.retryTimes(2);

// A control in the same run cannot predict what else the machine does a moment later.
jest.retryTimes(2);

// A control in the same run cannot predict what else the machine does a moment later.
jest.retryTimes(2);

// A control in the same run cannot predict what else the machine does a moment later.
jest.retryTimes(2);

function testLoad(name: string, load: (busy: TestApp) => Promise<void>): void {
  test(name, async () => {
    const [busy, resender] = [await makeApp('Busy'), await makeResender()];
    const aloneMs = await medianOfResends(resender);
    await load(busy);
    const idleShare = watchIdleShare();
    const besideMs = await medianOfResends(resender);
    process.stdout.write(`${JSON.stringify({ aloneMs, besideMs, idle: idleShare() })}\n`);
    const isLate = besideMs > 2 * aloneMs + busyMs;
    if (isLate && isFull(idleShare(), idleShareMin)) return;
    expect(isLate).toBe(false);
  });
}

const replayCount = 60;

testLoad('60 replays of one webhook delay no resend of another application', async (busy) => {
  const { _id } = await insert(busy, { url: receivers.urlOf({ manner: 'quick', name: 'load' }) });
  const since = new Date(Date.now() - 3_600_000);
  const until = new Date(since.getTime() + 1);
  const events = Array.from({ length: 500 }, () => newEvent({ app: busy }, [], since));
  await installation.store.events.insertMany(
    events.map((event) => ({ ...event, dispatchedAt: since })),
  );
  const time = { since: since.toISOString(), until: until.toISOString() };
  const body = { ...time, states: ['never_attempted', 'delivered'], perSecond: 1 };
  const states: string[] = [];
  for (let n = 0; n < replayCount; n += 1) {
    const answer = await busy.call('POST', `/webhooks/${_id}/replays`, { body });
    states.push(String(answer.body['state']));
  }
  expect(states.filter((state) => state === 'running')).toHaveLength(1);
});

const resourceCount = Number(process.env['HERALD_RESOURCES'] ?? 1_500);

testLoad(
  `${resourceCount} resources that wait for a dead receiver in order delay no resend of another application`,
  async (busy) => {
    const url = receivers.urlOf({ manner: 'fails', name: 'load', origin: 1 });
    const { _id } = await insert(busy, { url, entities: ['context'], ordering: 'resource' });
    const uids = Array.from({ length: resourceCount }, (_, n) => `ctx_${n}`);
    await forEachLimit(uids, 50, async (uid) => {
      await reportChange(busy, { uid }, 'context.updated');
    });
    const { partitions } = installation.store;
    const countOf = (isParked: boolean): Promise<number> =>
      partitions.countDocuments({ webhookUid: _id, 'retry.isParked': isParked });
    await waitFor(async () => (await countOf(true)) > 1_000, { what: 'the parked partitions' });
    // Some more than the limit, because concurrent failures count each other late.
    expect(await countOf(false)).toBeLessThan(3 * attemptLimits.retryingPartitionsMax);
  },
);
