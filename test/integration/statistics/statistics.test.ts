// Deliveries are counted exactly once, minute by minute. Queries include those that are not counted yet.
import type { Attempt } from '../../../lib/model/attempt.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { dayMs, hourMs, minuteMs } from '../../../lib/platform/duration.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { statisticsLimits } from '../../../lib/limits.ts';
import { countMinutes } from '../../../lib/statistics/count-minutes.ts';
import { insertWebhook, newAttempt, newDelivery } from '../../support/fixtures.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from '../api/problems.ts';

// Two minutes before midnight, so that the range of a test spans two hours and two days.
const startMs = Math.floor(Date.now() / dayMs) * dayMs - 2 * minuteMs;
const { countedAfterMs, countLeaseMs, uncountedReadMax } = statisticsLimits;

let service: TestService;
let webhookUid: string;
let nowMs: number;
const clock = { now: () => new Date(nowMs) };

beforeAll(async () => {
  service = await startService({ worker: false, clock });
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
});

afterAll(() => service?.[Symbol.asyncDispose]());

beforeEach(async () => {
  const { deliveries, statistics, statisticsCursors } = service.store;
  await Promise.all([deliveries, statistics, statisticsCursors].map((each) => each.deleteMany({})));
  nowMs = startMs;
  // The counting starts here.
  await seal();
});

const seal = (ms = nowMs): Promise<boolean> => countMinutes(service.store, new Date(ms));

/** Counts everything that is due at a time, whole minutes at a time. */
async function sealAll(ms: number): Promise<void> {
  while (await seal(ms));
}

/** Writes a delivery whose attempts ended at these times, the last with `state`. */
async function insert(
  endsMs: readonly number[],
  fields: Partial<DeliveryDocument> & { state: DeliveryDocument['state'] },
): Promise<string> {
  const changedAt = new Date((endsMs[0] ?? startMs) - 50);
  const attempts = endsMs.map((endMs, index): Attempt => {
    const state = index < endsMs.length - 1 ? 'retrying' : fields.state;
    const trigger = index === 0 ? 'event' : 'retry';
    const facts = { n: index + 1, trigger, state: state as Attempt['state'] } as const;
    return newAttempt(new Date(endMs - 10), facts);
  });
  const updatedAt = new Date(endsMs.at(-1) ?? startMs);
  const delivery = newDelivery(service, changedAt, { webhookUid, attempts, updatedAt, ...fields });
  await service.store.deliveries.insertOne(delivery);
  return delivery._id;
}

async function insertMixed(): Promise<void> {
  await insert([startMs + 1_000], { state: 'delivered' });
  await insert([startMs + 2_000, startMs + 90_000], { state: 'delivered' });
  await insert([startMs + 3_000, startMs + 100_000], { state: 'exhausted' });
  await insert([startMs + 150_000], { state: 'blocked', webhookUid: newId('whk') });
  await insert([], { state: 'cancelled', updatedAt: new Date(startMs + 170_000) });
  await insert([startMs + 1_000], { state: 'delivered', event: 'webhook.test' });
}

const mixed = {
  attempts: 6,
  delivered: 2,
  retrying: 2,
  exhausted: 1,
  blocked: 1,
  cancelled: 1,
};

async function ask(query: string) {
  const answer = await service.call('GET', `/stats/deliveries?${query}`);
  expect(answer.status).toBe(200);
  return answer.body as unknown as Record<string, never> & {
    completeUntil: string;
    totals: Record<string, number>;
    points: ({ at: string } & Record<string, number>)[];
  };
}

const closed = 'http://127.0.0.1:1/';
const inMinutes = `interval=minute&since=${new Date(startMs).toISOString()}`;
const afterAllMs = startMs + hourMs;

test.each(['minute', 'hour', 'day'])(
  'counted or not yet, by one process or several, the %ss have the same counts',
  async (interval) => {
    await insertMixed();
    nowMs = afterAllMs;
    const query = `interval=${interval}&since=${new Date(startMs).toISOString()}`;
    const before = await ask(query);
    expect(before.totals).toMatchObject(mixed);
    // Each pass finds the lease of the previous one expired, and counts the same minutes.
    const passes = Array.from({ length: 4 }, (_, n) => seal(afterAllMs + n * countLeaseMs));
    expect((await Promise.all(passes)).filter(Boolean)).toHaveLength(1);
    await sealAll(afterAllMs + 5 * countLeaseMs);
    await service.store.deliveries.deleteMany({});
    expect(await ask(query)).toEqual({ ...before, completeUntil: expect.any(String) });
  },
);

test('a minute is counted a minute after its end, with exactly the attempts that ended in it', async () => {
  const endMs = startMs + minuteMs;
  for (const at of [startMs - 1, startMs, endMs - 1, endMs]) {
    await insert([at], { state: 'delivered' });
    await insert([], { state: 'cancelled', updatedAt: new Date(at) });
  }
  await sealAll(startMs + countedAfterMs);
  expect(await service.store.statisticsCursors.findOne({})).toMatchObject({
    countedUntil: new Date(startMs),
  });
  expect(await seal(endMs + countedAfterMs - 1)).toBe(false);
  const uncounted = await service.store.statistics.countDocuments({ _id: /minute/ });
  expect(await seal(endMs + countedAfterMs)).toBe(true);
  const [id] = [`${webhookUid}/minute/${new Date(startMs).toISOString()}`];
  const counted = await service.store.statistics.findOne({ _id: id });
  expect(counted?.outcomes).toEqual({ delivered: 2, cancelled: 2 });
  expect(await service.store.statistics.countDocuments({ _id: /minute/ })).toBe(uncounted + 2);
});

test('an attempt counts in its minute though the delivery was attempted again before the count', async () => {
  const endMs = startMs + minuteMs;
  const uid = await insert([startMs + 1_000, endMs + 1_000], { state: 'delivered' });
  await sealAll(endMs + countedAfterMs);
  await service.store.deliveries.updateOne({ _id: uid }, { $set: { state: 'pending' } });
  nowMs = afterAllMs;
  for (const sealed of ['the first minute', 'both']) {
    const [first, second] = (await ask(inMinutes)).points;
    expect({ sealed, ...first }).toMatchObject({
      sealed,
      attempts: 1,
      retrying: 1,
      changeToReceiptMs: null,
    });
    expect({ sealed, ...second }).toMatchObject({ sealed, attempts: 1, delivered: 1 });
    await sealAll(afterAllMs);
  }
});

test('a process that died while counting is followed by another when its lease is over', async () => {
  await insertMixed();
  const died = new Date(afterAllMs + countLeaseMs);
  await service.store.statisticsCursors.updateOne({}, { $set: { leaseUntil: died } });
  expect(await seal(died.getTime() - 1)).toBe(false);
  expect(await seal(died.getTime())).toBe(true);
});

test('deliveries that a job wrote with a time before the last attempt are not missed', async () => {
  const endMs = startMs + minuteMs;
  const updatedAt = new Date(endMs - 5_000);
  await sealAll(endMs + countedAfterMs);
  await insert([endMs + 1], { state: 'exhausted', updatedAt });
  await sealAll(afterAllMs);
  nowMs = afterAllMs;
  expect((await ask(inMinutes)).totals).toMatchObject({ exhausted: 1 });
});

test('the statistics of a webhook have only its own deliveries, and empty points', async () => {
  await insertMixed();
  nowMs = afterAllMs;
  const { totals, points } = await ask(`${inMinutes}&webhookUid=${webhookUid}`);
  expect(totals).toMatchObject({ ...mixed, attempts: 5, blocked: 0 });
  expect(points).toHaveLength(60);
  expect(points[0]).toEqual({
    at: new Date(startMs).toISOString(),
    attempts: 3,
    delivered: 1,
    retrying: 2,
    exhausted: 0,
    blocked: 0,
    cancelled: 0,
    changeToReceiptMs: { p50: 52, p95: 52, p99: 52 },
    attemptMs: { p50: 10, p95: 10, p99: 10 },
  });
  expect(points[5]).toMatchObject({ attempts: 0, changeToReceiptMs: null, attemptMs: null });
});

const statsByWebhook = async (query: string) => {
  const answer = await service.call('GET', `/stats/webhooks?${query}`);
  expect(answer.status).toBe(200);
  return answer.body as unknown as { completeUntil: string; webhooks: Record<string, unknown>[] };
};

test.each(['hour', 'day'])(
  'counted or not yet, by %s, each webhook has the same totals as its own statistics',
  async (interval) => {
    const { _id: other } = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
    const { _id: idle } = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
    const { _id: foreign } = await insertWebhook(service, { url: closed, appUid: 'app_other' });
    await insertMixed();
    await insert([startMs + 5_000], { state: 'delivered', webhookUid: other });
    await insert([startMs + 5_000], {
      state: 'delivered',
      webhookUid: idle,
      event: 'webhook.test',
    });
    await insert([startMs + 5_000], {
      state: 'delivered',
      webhookUid: foreign,
      appUid: 'app_other',
    });
    // Before the range.
    await insert([startMs - 25 * hourMs], { state: 'delivered', webhookUid: idle });
    nowMs = afterAllMs;
    const query = `interval=${interval}&since=${new Date(startMs).toISOString()}`;
    for (const sealed of [false, true]) {
      if (sealed) {
        await sealAll(afterAllMs);
        await service.store.deliveries.deleteMany({});
      }
      const { webhooks } = await statsByWebhook(query);
      const expected = [webhookUid, other].map(async (uid) => {
        const { totals } = await ask(`${query}&webhookUid=${uid}`);
        return { webhookUid: uid, ...totals };
      });
      expect(webhooks).toEqual(await Promise.all(expected));
      expect(webhooks.map((each) => each['attempts'])).toEqual([5, 1]);
    }
  },
);

test('with more uncounted deliveries than are read, the counts end before them', async () => {
  await insert([startMs + 1_000], { state: 'delivered' });
  await sealAll(startMs + minuteMs + countedAfterMs);
  const at = new Date(startMs + minuteMs + 20_000);
  const fields = { state: 'delivered', attempts: [newAttempt(at)] } as const;
  const made = Array.from({ length: uncountedReadMax }, () =>
    newDelivery(service, at, { ...fields, attempts: [...fields.attempts] }),
  );
  await service.store.deliveries.insertMany(made);
  nowMs = startMs + hourMs;
  const all = await ask(inMinutes);
  expect(all.totals['delivered']).toBe(1 + uncountedReadMax);
  const completeUntil = new Date(startMs + minuteMs).toISOString();
  expect(all.completeUntil).toBe(completeUntil);
  await insert([at.getTime()], { state: 'delivered' });
  const counted = await ask(inMinutes);
  expect(counted.totals['delivered']).toBe(1);
  expect(counted.completeUntil).toBe(completeUntil);
});

test('the counts before completeUntil are final, even if an attempt is recorded after its end', async () => {
  await insertMixed();
  await sealAll(startMs + minuteMs + countedAfterMs);
  nowMs = afterAllMs;
  const before = await ask(inMinutes);
  await insert([nowMs - 5], { state: 'delivered' });
  const after = await ask(inMinutes);
  expect(after.totals['delivered']).toBe(mixed.delivered + 1);
  const final = before.points.filter(({ at }) => at < before.completeUntil);
  expect(final.length).toBeGreaterThan(0);
  for (const { at, ...counts } of final) {
    expect(after.points.find((point) => point.at === at)).toEqual({ at, ...counts });
  }
});

test('an unknown webhook, or one of another application, has no statistics', async () => {
  const url = 'http://127.0.0.1:1/';
  const { _id: foreign } = await insertWebhook(service, { url, appUid: 'app_other' });
  for (const uid of ['whk_unknown', foreign]) {
    const answer = await service.call('GET', `/stats/deliveries?webhookUid=${uid}`);
    expectProblem(answer, 404, 'not_found');
  }
});
