// Processes are killed under load and while they count. The statistics must match the recorded deliveries.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { statisticsIntervals } from '../../lib/model/statistics.ts';
import { minuteMs } from '../../lib/platform/duration.ts';
import { intervals } from '../../lib/statistics/intervals.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { soakShare } from '../support/soak-share.ts';
import { waitFor } from '../support/wait-for.ts';
import { seededRandom } from '../support/seeded-random.ts';

const eventCount = soakShare(10_000);
const callers = 20;
const killEveryMs = 7_000;
const random = seededRandom(1);

let installation: Installation;
let receiver: Receiver;
const roles = {} as Record<'api' | 'worker', RoleProcess>;
const webhookUids: Record<string, string> = {};
const seen = new Set<string>();

/** The tenants by the behaviour of their webhooks. Each webhook gets the events of its tenant. */
const tenants = ['fine', 'fine-too', 'flaky', 'failing', 'paused'] as const;

beforeAll(async () => {
  installation = await createInstallation();
  receiver = await startReceiver((response, { path, headers }) => {
    const delivery = `${path} ${String(headers['x-webhook-event-id'])}`;
    const isFirst = !seen.has(delivery);
    seen.add(delivery);
    const fails = path === '/failing' || (path === '/flaky' && isFirst);
    response.writeHead(fails ? 500 : 200).end();
  });
  for (const tenant of tenants) {
    const { _id } = await insertWebhook(installation, {
      url: `${receiver.url}/${tenant}`,
      externalTenantIds: [tenant],
      retryScheduleMs: [1_000],
      active: tenant !== 'paused',
    });
    webhookUids[tenant] = _id;
  }
  roles.api = await startRole('api', installation.env);
  roles.worker = await startRole('worker', installation.env);
});

afterAll(async () => {
  await Promise.all([roles.api?.[Symbol.asyncDispose](), roles.worker?.[Symbol.asyncDispose]()]);
  await receiver?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

const client = (): ApiClient =>
  createApiClient(`http://127.0.0.1:${roles.api.port}`, installation.app);

/** Repeats a call until it succeeds, whatever is killed meanwhile. */
async function persist(method: string, path: string, body?: unknown) {
  return waitFor(
    async () => {
      const answer = await client()
        .call(method, path, body === undefined ? {} : { body })
        .catch(() => null);
      return answer !== null && answer.status < 300 && answer;
    },
    { what: `${method} ${path}`, timeoutMs: 120_000 },
  );
}

async function reportMixed(): Promise<void> {
  let left = eventCount;
  const report = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const kind = random();
      const tenant =
        tenants[kind < 0.8 ? 0 : kind < 0.9 ? 1 : kind < 0.96 ? 2 : kind < 0.98 ? 3 : 4];
      const data = { uid: `agt_${left % 50}`, externalTenantId: tenant };
      const answer = await persist('POST', '/changes', { event: 'agent.updated', data });
      if (random() > 0.99)
        await persist('POST', `/events/${String(answer.body['eventId'])}/resend`);
    }
  };
  await Promise.all(Array.from({ length: callers }, report));
}

/** Kills api and worker in turn until it is stopped. */
async function killInTurn(stop: AbortSignal, among: ('api' | 'worker')[]): Promise<number> {
  let kills = 0;
  while (!stop.aborted) {
    await sleep(killEveryMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) break;
    const role = among[kills % among.length] ?? 'worker';
    await roles[role].end('SIGKILL');
    roles[role] = await startRole(role, installation.env);
    kills += 1;
  }
  return kills;
}

async function withKills(among: ('api' | 'worker')[], work: () => Promise<void>): Promise<number> {
  const stop = new AbortController();
  const kills = killInTurn(stop.signal, among);
  await work().finally(() => stop.abort());
  return kills;
}

async function settle(): Promise<void> {
  await waitFor(
    async () => {
      const { events, deliveries } = installation.store;
      const open = { state: { $in: ['pending', 'retrying', 'held'] } } as const;
      const [recorded, left] = await Promise.all([
        events.countDocuments({ webhookUids: { $ne: [] } }),
        deliveries.countDocuments(open),
      ]);
      return left === 0 && (await deliveries.countDocuments()) === recorded;
    },
    { timeoutMs: 300_000, what: 'the end of all deliveries' },
  );
}

type Row = { _id: { minute: Date; webhookUid: string; outcome: string }; count: number };

/** Counts attempts and cancellations by minute, webhook and outcome with a MongoDB query. */
async function countByQuery(): Promise<Row[]> {
  const minute = (at: unknown) => ({ $dateTrunc: { date: at, unit: 'minute' } });
  const end = { $add: ['$attempts.at', '$attempts.ms.total'] };
  const group = (at: unknown, outcome: string) => ({
    $group: {
      _id: { minute: minute(at), webhookUid: '$webhookUid', outcome },
      count: { $sum: 1 },
    },
  });
  const { deliveries } = installation.store;
  const [attempts, cancelled] = await Promise.all([
    deliveries.aggregate<Row>([{ $unwind: '$attempts' }, group(end, '$attempts.state')]).toArray(),
    deliveries
      .aggregate<Row>([{ $match: { state: 'cancelled' } }, group('$updatedAt', 'cancelled')])
      .toArray(),
  ]);
  return [...attempts, ...cancelled];
}

const outcomes = ['delivered', 'retrying', 'exhausted', 'blocked', 'cancelled'];

function sumOf(rows: readonly Row[], outcome: string, of: (row: Row) => boolean): number {
  return rows
    .filter((row) => row._id.outcome === outcome && of(row))
    .reduce((sum, { count }) => sum + count, 0);
}

function expectCounts(found: unknown, rows: readonly Row[], of: (row: Row) => boolean): void {
  const expected = outcomes.map((outcome) => [outcome, sumOf(rows, outcome, of)]);
  expect(found).toMatchObject(Object.fromEntries(expected));
}

test(`statistics of ${eventCount} events equal a query, though the processes that count are killed`, async () => {
  const startedAt = new Date();
  let kills = await withKills(['api', 'worker'], reportMixed);
  await persist('DELETE', `/webhooks/${webhookUids['paused']}`);
  await settle();
  const settledAt = Date.now();
  kills += await withKills(['worker'], async () => {
    await waitFor(
      async () => {
        const cursor = await installation.store.statisticsCursors.findOne({ _id: 'deliveries' });
        return (cursor?.countedUntil.getTime() ?? 0) > settledAt;
      },
      { timeoutMs: 5 * minuteMs, what: 'the count of the last minute' },
    );
  });
  const rows = await countByQuery();
  const sum = (outcome: string): number => sumOf(rows, outcome, () => true);
  const sums = Object.fromEntries(outcomes.map((outcome) => [outcome, sum(outcome)]));
  process.stdout.write(`${JSON.stringify({ events: eventCount, kills, ...sums })}\n`);
  expect(sums['delivered']).toBeGreaterThan(0.9 * eventCount);
  for (const outcome of ['retrying', 'exhausted', 'cancelled']) {
    expect(sums[outcome]).toBeGreaterThan(0);
  }
  // So that the response contains only counted deliveries.
  await installation.store.deliveries.deleteMany({});
  const since = `since=${startedAt.toISOString()}`;
  const until = `until=${new Date(startedAt.getTime() + 60 * minuteMs).toISOString()}`;
  for (const interval of statisticsIntervals) {
    const path = `/stats/deliveries?${since}&${until}&interval=${interval}`;
    const { body } = await persist('GET', path);
    expectCounts(body['totals'], rows, () => true);
    for (const [tenant, uid] of Object.entries(webhookUids)) {
      if (tenant === 'paused') continue;
      const own = await persist('GET', `${path}&webhookUid=${uid}`);
      expectCounts(own.body['totals'], rows, (row) => row._id.webhookUid === uid);
    }
    const { ms } = intervals[interval];
    for (const point of body['points'] as unknown as { at: string }[]) {
      const fromMs = Date.parse(point.at);
      const isIn = (atMs: number): boolean => atMs >= fromMs && atMs < fromMs + ms;
      expectCounts(point, rows, (row) => isIn(row._id.minute.getTime()));
    }
  }
}, 1_800_000);
