// The cost of the statistics, and the time to return a long range of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readUsage } from '../../dev/bench/process-usage.ts';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import type { StatisticsDocument, StatisticsInterval } from '../../lib/model/statistics.ts';
import { dayMs, hourMs, minuteMs } from '../../lib/platform/duration.ts';
import { newId } from '../../lib/platform/ids.ts';
import { statisticsLimits } from '../../lib/limits.ts';
import { bucketOf } from '../../lib/statistics/histogram.ts';
import { intervals, statisticsId } from '../../lib/statistics/intervals.ts';
import { countMinutes } from '../../lib/statistics/count-minutes.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { insertWebhook, newAttempt, newDelivery, newWebhook } from '../support/fixtures.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startRole } from '../support/role-process.ts';
import { seededRandom } from '../support/seeded-random.ts';

const webhookUids = Array.from({ length: 100 }, () => newId('whk'));
const perMinute = 10_000;
const minutes = 6;
const costUsMax = 60;
const answerMsMax = 100;
// The maximum for which hourly statistics are returned.
const webhookCount = 200;
const webhooksMsMax = 400;
const calls = 21;
const random = seededRandom(1);

let service: Installation;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

beforeAll(async () => {
  service = await createInstallation();
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** Returns the processor time in milliseconds that processes and MongoDB spend on `work`. */
async function cpuMsOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  const status = await service.store.client.db('admin').command({ serverStatus: 1 });
  const groups = { all: [pid, Number(status['pid'])] };
  const before = readUsage(groups)['all']?.cpuMs ?? 0;
  await work();
  return (readUsage(groups)['all']?.cpuMs ?? 0) - before;
}

/** Returns deliveries within a minute, delivered at the first attempt, with a typical sample. */
function deliveriesOf(startMs: number, count: number): DeliveryDocument[] {
  return Array.from({ length: count }, (_, n) => {
    const changedAt = new Date(startMs + (n * minuteMs) / count);
    const at = new Date(changedAt.getTime() + 5 + 200 * random());
    const total = Math.round(2 + 300 * random() ** 4);
    const updatedAt = new Date(at.getTime() + total);
    const attempt = newAttempt(at, { ms: { total }, responseSample: '{"received":true}' });
    return newDelivery(service, changedAt, {
      webhookUid: webhookUids[n % webhookUids.length] ?? '',
      state: 'delivered',
      statusClass: '2xx',
      attemptCount: 1,
      attempts: [attempt],
      createdAt: updatedAt,
      updatedAt,
    });
  });
}

async function insertInBatches(deliveries: DeliveryDocument[]): Promise<void> {
  for (let n = 0; n < deliveries.length; n += 100) {
    await service.store.deliveries.insertMany(deliveries.slice(n, n + 100), { ordered: false });
  }
}

test(`a counted delivery costs at most ${costUsMax} µs, including its index`, async () => {
  const { store } = service;
  const startMs = Math.floor(Date.now() / minuteMs) * minuteMs - 30 * minuteMs;
  const costs = { indexed: 0, plain: 0, counting: 0 };
  await store.statisticsCursors.insertOne({
    _id: 'deliveries',
    countedUntil: new Date(startMs),
    leaseUntil: new Date(0),
  });
  for (let minute = 0; minute < minutes; minute += 1) {
    const beginsMs = startMs + minute * minuteMs;
    const made = deliveriesOf(beginsMs, perMinute);
    costs.indexed += await cpuMsOf(process.pid, () => insertInBatches(made));
    // Like in production, deliveries of the grace minute are included.
    const now = new Date(beginsMs + minuteMs);
    costs.counting += await cpuMsOf(process.pid, () => countMinutes(store, now));
  }
  const uncounted = await store.statistics.countDocuments({ _id: /\/minute\// });
  expect(uncounted).toBe((minutes - 1) * (webhookUids.length + 1));
  await store.deliveries.dropIndex('updated');
  for (let minute = 0; minute < minutes; minute += 1) {
    const made = deliveriesOf(startMs + minute * minuteMs, perMinute);
    costs.plain += await cpuMsOf(process.pid, () => insertInBatches(made));
  }
  await store.deliveries.createIndex({ updatedAt: 1 }, { name: 'updated' });
  const usOf = (ms: number, of: number): number => Math.round((1_000 * ms) / of);
  const index = usOf(costs.indexed - costs.plain, minutes * perMinute);
  const counting = usOf(costs.counting, (minutes - 1) * perMinute);
  print(JSON.stringify({ insertUs: usOf(costs.plain, minutes * perMinute), index, counting }));
  expect(index + counting).toBeLessThanOrEqual(costUsMax);
}, 300_000);

/** Returns the counts of a busy interval, distributed like real latencies. */
function busyDocument(
  owner: string,
  interval: StatisticsInterval,
  atMs: number,
): StatisticsDocument {
  const histogram = Object.fromEntries(
    Array.from({ length: 90 }, (_, n) => [bucketOf(1.1 ** n), 1 + n]),
  );
  return {
    _id: statisticsId(owner, interval, atMs),
    appUid: service.app.appUid,
    expiresAt: new Date(atMs + intervals[interval].keptMs),
    outcomes: { delivered: 3_000, retrying: 900, exhausted: 20, cancelled: 3 },
    attemptMs: histogram,
    changeToReceiptMs: histogram,
  };
}

test(`statistics of 30 days with 100 webhooks are returned within ${answerMsMax} ms`, async () => {
  const { store, app } = service;
  const { _id: webhookUid } = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  const now = Date.now();
  for (const owner of [app.appUid, webhookUid, ...webhookUids]) {
    const documents = (['hour', 'day'] as const).flatMap((interval) => {
      const { ms } = intervals[interval];
      const count = (31 * dayMs) / ms;
      const lastMs = Math.floor(now / ms) * ms;
      return Array.from({ length: count }, (_, n) =>
        busyDocument(owner, interval, lastMs - n * ms),
      );
    });
    await store.statistics.deleteMany({ _id: { $regex: `^${owner}/(hour|day)/` } });
    await store.statistics.insertMany(documents, { ordered: false });
  }
  // As many uncounted deliveries as a response reads in addition.
  const countedUntil = new Date(Math.floor(now / minuteMs) * minuteMs - 2 * minuteMs);
  await store.statisticsCursors.updateOne({ _id: 'deliveries' }, { $set: { countedUntil } });
  await store.deliveries.deleteMany({});
  await insertInBatches(deliveriesOf(countedUntil.getTime(), statisticsLimits.uncountedReadMax));
  const since = new Date(now - 30 * dayMs + hourMs).toISOString();
  await using api = await startRole('api', service.env);
  const client = createApiClient(`http://127.0.0.1:${api.port}`, app);
  for (const query of ['interval=hour', 'interval=day', `interval=hour&webhookUid=${webhookUid}`]) {
    const path = `/stats/deliveries?${query}&since=${since}`;
    expect(await medianOf({ api, client }, path)).toBeLessThanOrEqual(answerMsMax);
  }
}, 300_000);

/** Repeats a call, prints its times, and returns the median in milliseconds. */
async function medianOf(
  { api, client }: { api: { pid: number }; client: ApiClient },
  path: string,
): Promise<number> {
  const taken: number[] = [];
  const cpuMs = await cpuMsOf(api.pid, async () => {
    for (let n = 0; n < calls; n += 1) {
      const startedAt = performance.now();
      const answer = await client.call('GET', path);
      taken.push(performance.now() - startedAt);
      expect(answer.status).toBe(200);
    }
  });
  const sorted = taken.toSorted((one, other) => one - other).map(Math.round);
  const medianMs = sorted[(calls - 1) / 2] ?? Infinity;
  print(
    JSON.stringify({ path, medianMs, worstMs: sorted.at(-1), cpuMs: Math.round(cpuMs / calls) }),
  );
  return medianMs;
}

test(`statistics of a day of ${webhookCount} webhooks are returned within ${webhooksMsMax} ms`, async () => {
  const { store, app } = service;
  await store.webhooks.deleteMany({});
  const first = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  const { secret } = first;
  const at = new Date();
  const more = Array.from({ length: webhookCount - 1 }, () =>
    newWebhook(app.appUid, at, { url: 'http://127.0.0.1:1/', secret }),
  );
  await store.webhooks.insertMany(more);
  const lastMs = Math.floor(at.getTime() / hourMs) * hourMs;
  for (const { _id } of [first, ...more]) {
    const documents = Array.from({ length: 25 }, (_, n) =>
      busyDocument(_id, 'hour', lastMs - n * hourMs),
    );
    await store.statistics.insertMany(documents, { ordered: false });
  }
  await using api = await startRole('api', service.env);
  const client = createApiClient(`http://127.0.0.1:${api.port}`, app);
  expect(await medianOf({ api, client }, '/stats/webhooks')).toBeLessThanOrEqual(webhooksMsMax);
}, 300_000);
