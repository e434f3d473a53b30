// The numbers of reported changes, the clock that all processes follow, transactions, snapshots, and `lastTriggeredAt`.
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { TriggerRecorder } from '../../../lib/webhooks/trigger-recorder.ts';
import { insertWebhook, insertEvent, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { waitFor } from '../../support/wait-for.ts';
import { inSnapshot } from '../../../lib/mongo/snapshot.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import type { ServerHeartbeatSucceededEvent } from 'mongodb';
import { startServerClock } from '../../../lib/mongo/server-clock.ts';
import { processLog } from '../../../lib/platform/logger.ts';
import { connectStore, type Store } from '../../../lib/mongo/connect.ts';
import { raiseFloor, raiseSequences } from '../../../lib/mongo/raise-counts.ts';
import { countInTransaction, countReports, sequenceId } from '../../../lib/mongo/sequences.ts';
import { newId } from '../../../lib/platform/ids.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(() => installation?.[Symbol.asyncDispose]());

const insert = () => insertWebhook(installation, { url: 'https://receiver.example.com' });

/** Returns the stored time, which reads see a moment after the write. */
function lastTriggeredAt({ _id }: WebhookDocument): Promise<Date> {
  return waitFor(async () => {
    const stored = await installation.store.webhooks.findOne({ _id });
    return stored?.lastTriggeredAt ?? undefined;
  });
}

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

/** Records triggers like a process that then stops. */
async function record(...triggers: [webhook: WebhookDocument, at: Date][]): Promise<void> {
  const recorder = new TriggerRecorder(installation.store);
  for (const [webhook, time] of triggers) recorder.record(webhook._id, time);
  await recorder[Symbol.asyncDispose]();
}

test('a stopping process records for each webhook the time of its own latest attempt', async () => {
  const [one, other] = [await insert(), await insert()];
  await record([one, at(5)], [other, at(30)], [one, at(9)], [one, at(2)]);
  expect(await lastTriggeredAt(one)).toEqual(at(9));
  expect(await lastTriggeredAt(other)).toEqual(at(30));
});

test('an earlier attempt that another process records later does not move the time back', async () => {
  const webhook = await insert();
  await record([webhook, at(30)]);
  await record([webhook, at(5)]);
  // When the last write is visible, the earlier ones are, too.
  const last = await insert();
  await record([last, at(1)]);
  await lastTriggeredAt(last);
  expect(await lastTriggeredAt(webhook)).toEqual(at(30));
});

test('later reads of a snapshot see no write since the first one, in any batch', async () => {
  const { store } = installation;
  const { appUid } = installation.app;
  const first = [
    newDelivery(installation, new Date(), {}),
    newDelivery(installation, new Date(), {}),
    newDelivery(installation, new Date(), {}),
  ];
  await store.deliveries.insertMany(first);
  const seen = await inSnapshot(store, async (snapshot) => {
    const events = await store.events.countDocuments({ appUid }, snapshot);
    await insertEvent(installation, []);
    await store.deliveries.insertOne(newDelivery(installation, new Date(), {}));
    const options = { ...snapshot, batchSize: 1 };
    const deliveries = await store.deliveries.find({ appUid }, options).sort({ _id: 1 }).toArray();
    const { length } = await store.events.find({ appUid }, snapshot).toArray();
    return { events, eventsLater: length, deliveries: deliveries.map(({ _id }) => _id) };
  });
  const deliveries = first.map(({ _id }) => _id);
  expect(seen).toEqual({ events: 0, eventsLater: 0, deliveries });
  expect(await store.events.countDocuments({ appUid })).toBe(1);
});

test('a transaction is retried while another conflicts with it, and aborted after ten seconds', async () => {
  const { store } = installation;
  const { _id } = await insertWebhook(installation, { url: 'https://receiver.example/' });
  const touch = { $set: { updatedAt: new Date() } };
  // The clock of the limit is fixed, except for the two steps below.
  const startedAtMs = performance.now();
  using clock = jest.spyOn(performance, 'now').mockReturnValue(startedAtMs);
  const nowMsAfter = [startedAtMs, startedAtMs + 9_999, startedAtMs + 10_000];
  let begun = 0;
  await store.client.withSession(async (inTheWay) => {
    inTheWay.startTransaction();
    await store.webhooks.updateOne({ _id }, touch, { session: inTheWay });
    const giving = inTransaction(store, async (session) => {
      clock.mockReturnValue(nowMsAfter[begun] ?? 0);
      begun += 1;
      await store.webhooks.updateOne({ _id }, touch, { session });
    });
    await expect(giving).rejects.toMatchObject({
      name: 'AppError',
      code: 'unavailable',
      cause: { codeName: 'WriteConflict' },
    });
    await inTheWay.abortTransaction();
  });
  expect(begun).toBe(3);
  clock.mockRestore();
  await inTransaction(store, (session) => store.webhooks.deleteOne({ _id }, { session }));
  expect(await store.webhooks.countDocuments({ _id })).toBe(0);
});

// A round trip on a fully loaded machine.
const errorMsMax = 500;

const machine = (aheadMs: () => number) => ({ now: () => new Date(Date.now() + aheadMs()) });

test.each([20_000, -20_000])(
  'on a machine whose clock is %i ms ahead the time is that of MongoDB',
  async (shiftMs) => {
    const local = machine(() => shiftMs);
    await using clock = await startServerClock(installation.store, { local });
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(errorMsMax);
    expect(Math.abs(clock.aheadMs() - shiftMs)).toBeLessThan(errorMsMax);
  },
);

test("setting the machine's clock changes only the offset, which is logged", async () => {
  using logged = jest.spyOn(processLog, 'warn');
  let shiftMs = 0;
  const options = { local: machine(() => shiftMs), everyMs: 10 };
  await using clock = await startServerClock(installation.store, options);
  expect(logged).not.toHaveBeenCalled();
  for (const setMs of [60_000, 0]) {
    shiftMs = setMs;
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(errorMsMax);
    const isLogged = (): boolean =>
      logged.mock.calls.some(([fields, name]) => {
        const { aheadMs } = fields as { aheadMs: number };
        return name === 'clock.differs' && Math.abs(aheadMs - setMs) < errorMsMax;
      });
    await waitFor(isLogged, { what: 'clock.differs' });
  }
  expect(logged).toHaveBeenCalledTimes(2);
});

test('if MongoDB does not respond the time keeps running', async () => {
  using logged = jest.spyOn(processLog, 'warn');
  const { store } = installation;
  let isAway = false;
  const command = async (what: { hello: 1 }) => {
    if (isAway) throw new Error('away');
    return store.db.command(what);
  };
  const silenced = { ...store, db: { command } } as unknown as typeof store;
  await using clock = await startServerClock(silenced, { everyMs: 10 });
  isAway = true;
  await waitFor(() => logged.mock.calls.some((call) => call[1] === 'clock.not_measured'));
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(errorMsMax);
});

test("another member's clock is compared by the driver's heartbeats, and a difference is logged once", async () => {
  using logged = jest.spyOn(processLog, 'warn');
  const { store } = installation;
  const aheadMs = 10_000;
  await using clock = await startServerClock(store, { everyMs: 10 });
  // The test server has one member, whose heartbeats are real.
  const beat = setInterval(() => {
    const reply = { localTime: new Date(Date.now() + aheadMs) };
    const event = { connectionId: 'ahead:27017', reply } as unknown;
    store.client.emit('serverHeartbeatSucceeded', event as ServerHeartbeatSucceededEvent);
  }, 20);
  const lines = () => logged.mock.calls.filter(([, name]) => name === 'clock.members_differ');
  await waitFor(() => lines().length > 0, { what: 'clock.members_differ' });
  clearInterval(beat);
  const [[{ spreadMs, ...members }]] = lines() as unknown as [[{ spreadMs: number }]];
  expect(Math.abs(spreadMs - aheadMs)).toBeLessThan(errorMsMax);
  expect(members).toEqual({
    ahead: 'ahead:27017',
    behind: new URL(installation.config.mongodb.uri).host,
  });
  expect(lines()).toHaveLength(1);
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(errorMsMax);
});

/** Counts a group of reports about all resources twice, in `groups` concurrent calls. Returns the numbers of each. */
async function countConcurrently(
  groups: number,
  resourceUids: readonly string[],
): Promise<number[][]> {
  const appUid = newId('app', new Date());
  const one = resourceUids.map((resourceUid) =>
    sequenceId({ appUid, entity: 'agent', resourceUid }),
  );
  const counts = await Promise.all(
    Array.from({ length: groups }, () => countReports(installation.store, [...one, ...one])),
  );
  return resourceUids.map((_uid, index) =>
    counts.flatMap((numbers) => [numbers[index] ?? 0, numbers[one.length + index] ?? 0]),
  );
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

test.each([
  ['of one resource', ['a']],
  ['of several resources', ['a', 'b', 'c']],
])('eight groups of reports %s counted concurrently get every number once', async (_, uids) => {
  for (const numbers of await countConcurrently(8, uids)) {
    expect(numbers.toSorted((a, b) => a - b)).toEqual(upTo(16));
  }
});

test('in a group a later report of a resource has the greater number', async () => {
  for (const numbers of await countConcurrently(3, ['a', 'b'])) {
    for (let index = 0; index < numbers.length; index += 2) {
      expect(numbers[index + 1]).toBe((numbers[index] ?? 0) + 1);
    }
  }
});

type Count = (store: Store, ids: string[]) => Promise<number[]>;

const countTogether: Count = (store, ids) =>
  inTransaction(store, (session) => countInTransaction(store, ids, session));

const newCounter = (): string =>
  sequenceId({ appUid: 'app_1', entity: 'agent', resourceUid: newId('agt', new Date()) });

test.each<[string, number, Count]>([
  ['one', 1, countReports],
  ['several', 3, countReports],
  ['one in a transaction', 1, countTogether],
  ['several in a transaction', 3, countTogether],
])('new counters begin above the floor, and those that exist go on: %s', async (_, count, next) => {
  const { store } = installation;
  const old = Array.from({ length: count }, newCounter);
  const [last = 0] = await next(store, old);
  await raiseFloor(store, new Date());
  const floor = (await store.sequences.findOne({ _id: 'floor' }))?.last ?? 0;
  const made = Array.from({ length: count }, newCounter);
  expect(await next(store, made)).toEqual(made.map(() => floor + 1));
  expect(await next(store, made)).toEqual(made.map(() => floor + 2));
  expect(await next(store, old)).toEqual(old.map(() => last + 1));
});

test('a number that a process gave by an earlier floor is below the next one, once counters are raised', async () => {
  const { store, config } = installation;
  await using running = await connectStore(config.mongodb);
  await countReports(running, [newCounter()]);
  await raiseFloor(store, new Date());
  const id = newCounter();
  const [stale = 0] = await countReports(running, [id]);
  await raiseSequences(store, new Date());
  const floor = (await store.sequences.findOne({ _id: 'floor' }))?.last ?? 0;
  expect(stale).toBeLessThan(floor);
  for (const process of [running, store]) {
    const [next = 0] = await countReports(process, [id]);
    expect(next).toBeGreaterThan(floor);
  }
});

test('a running process begins new counters above a raised floor before the others are raised, 10 s later', async () => {
  const { store, config } = installation;
  await using running = await connectStore(config.mongodb);
  await countReports(running, [newCounter()]);
  await raiseFloor(store, new Date());
  const floor = (await store.sequences.findOne({ _id: 'floor' }))?.last ?? 0;
  const isAbove = async () => ((await countReports(running, [newCounter()]))[0] ?? 0) > floor;
  await waitFor(isAbove, { what: 'the floor', timeoutMs: 10_000 });
});
