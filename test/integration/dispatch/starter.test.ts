// The grouping of events into workflows: no crash or race gives an event two workflows or none.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { WorkflowStarts } from '../../../lib/dispatch/workflow-starts.ts';
import { dispatchLimits } from '../../../lib/limits.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { connectStore, type Store } from '../../../lib/mongo/connect.ts';
import { claimEvents, findClaimed, findUnclaimed } from '../../../lib/events/events.ts';
import type { DeliverEventsInput } from '../../../lib/temporal/messages.ts';
import { eventWorkflowId } from '../../../lib/temporal/names.ts';
import { instruments } from '../../../lib/telemetry/instruments.ts';
import { sweep } from '../../../worker/relay.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newEvent } from '../../support/fixtures.ts';
import {
  newStarter,
  newStarterWithoutTemporal,
  newStarts,
  startInputOf,
} from '../../support/starters.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

let service: TestService;
let webhookUid: string;
const never = new AbortController().signal;
const longAgo = (): Date => new Date(Date.now() - 60_000);

beforeAll(async () => {
  // Without a worker no workflow ends, so each test finds its workflows as they were started.
  service = await startService({ worker: false });
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
});

afterAll(() => service?.[Symbol.asyncDispose]());

const relayPorts = () => ({
  store: service.store,
  ...noSignals,
  clock: systemClock,
  eventsPerWorkflowMax: 60,
});

async function insertEvents(count: number, createdAt = new Date()): Promise<EventDocument[]> {
  const events: EventDocument[] = [];
  for (let n = 0; n < count; n += 1) {
    events.push(await insertEvent(service, [webhookUid], createdAt));
  }
  return events;
}

async function workflowIdsOf(events: readonly EventDocument[]): Promise<(string | null)[]> {
  const ids = events.map((event) => event._id);
  const stored = await service.store.events
    .find({ _id: { $in: ids } })
    .sort({ _id: 1 })
    .toArray();
  return stored.map((event) => event.workflowId);
}

const inputOf = (workflowId: string): Promise<DeliverEventsInput> =>
  startInputOf(service, workflowId);

async function untilDispatched(events: readonly EventDocument[]): Promise<void> {
  const ids = events.map((event) => event._id);
  await waitFor(
    async () =>
      (await service.store.events.countDocuments({ _id: { $in: ids }, dispatchedAt: null })) === 0,
    { what: 'every event dispatched' },
  );
}

/** Makes updates of events fail if their filter or change contains the text. */
function failUpdates(store: Store, text: string): void {
  const update = store.events.updateMany.bind(store.events);
  jest.spyOn(store.events, 'updateMany').mockImplementation(async (...args) => {
    const [filter, change] = args;
    if (JSON.stringify([filter, change]).includes(text)) throw new Error('MongoDB is away');
    return update(...args);
  });
}

test.each([
  [9, 9],
  [10, 1],
])('%p events that wait together get %p workflows', async (count, workflows) => {
  const events = await insertEvents(count);
  const starter = newStarter(service);
  starter.add(events);
  await starter.drained();
  const ids = await workflowIdsOf(events);
  expect(new Set(ids).size).toBe(workflows);
  if (workflows === count) expect(ids).toEqual(events.map(eventWorkflowId));
});

test('events of several applications share a workflow, and each application finds it', async () => {
  const events = (await insertEvents(12)).map((event, n) => ({ ...event, appUid: `app_${n % 3}` }));
  const ids = { _id: { $in: events.map((event) => event._id) } };
  for (const { _id, appUid } of events) {
    await service.store.events.updateOne({ _id }, { $set: { appUid } });
  }
  const starter = newStarter(service);
  starter.add(events);
  await starter.drained();
  const [shared, ...others] = await service.store.events.distinct('workflowId', ids);
  expect(others).toEqual([]);
  const { events: carried } = await inputOf(shared ?? '');
  expect(new Set(carried.map(({ appUid }) => appUid)).size).toBe(3);
  const find = async (query: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const each of service.temporal.client.workflow.list({ query }))
      found.push(each.workflowId);
    return found;
  };
  for (const appUid of ['app_0', 'app_1', 'app_2']) {
    await waitFor(async () => (await find(`AppUids = "${appUid}"`))[0] === shared, {
      what: appUid,
    });
  }
  expect(await find('AppUids = "app_3"')).toEqual([]);
});

test('there is no pause while a whole workflow waits', async () => {
  const pauseMs = 2_000;
  const withDeadline = (): Promise<void> => delay(pauseMs / 2);
  const starter = newStarter(service, {
    client: { withDeadline } as unknown as Client,
    eventsPerWorkflowMax: 10,
  });
  const events = await insertEvents(20);
  starter.add(events);
  const beganAtMs = performance.now();
  await waitFor(async () => !(await workflowIdsOf(events)).includes(null), { what: 'both claims' });
  expect(performance.now() - beganAtMs).toBeLessThan(pauseMs);
  await starter.drained();
});

test('two processes that claim the same events never both get one', async () => {
  const events = await insertEvents(30);
  const starters = [newStarter(service), newStarter(service), newStarter(service)];
  for (const [n, starter] of starters.entries()) starter.add(events.slice(n * 5));
  await Promise.all(starters.map((starter) => starter.drained()));
  await untilDispatched(events);
  const workflowIds = new Set(await workflowIdsOf(events));
  const carried: string[] = [];
  for (const workflowId of workflowIds) {
    const input = await inputOf(workflowId ?? '');
    carried.push(...input.events.map((event) => event.eventId));
  }
  expect(carried.toSorted()).toEqual(events.map((event) => event._id));
});

test('an event that a workflow has is not claimed again', async () => {
  const events = await insertEvents(3, longAgo());
  const idsOf = (claimed: readonly { _id: string }[]) => claimed.map(({ _id }) => _id);
  expect(idsOf(await claimEvents(service.store, events.slice(0, 2), 'batch/first'))).toHaveLength(
    2,
  );
  const claimed = await claimEvents(service.store, events, 'batch/second');
  expect(idsOf(claimed)).toEqual([events[2]?._id]);
  await service.store.events.deleteMany({ _id: { $in: idsOf(events) } });
});

test('a claim becomes visible all at once, so no relay starts half a batch', async () => {
  const events = await insertEvents(200, longAgo());
  const before = new Date();
  const sizes = new Set<number>();
  const claiming = claimEvents(service.store, events, 'batch/whole');
  const watch = { over: false };
  void claiming.finally(() => {
    watch.over = true;
  });
  do {
    const found = await findClaimed(service.store, before, 1_000);
    sizes.add(found.filter((event) => event.workflowId === 'batch/whole').length);
  } while (!watch.over);
  expect(await claiming).toHaveLength(200);
  expect([...sizes].filter((size) => size !== 0 && size !== 200)).toEqual([]);
  await service.store.events.deleteMany({ workflowId: 'batch/whole' });
});

test('after a crash between claim and start the relay starts the same batch under the same ID', async () => {
  const events = await insertEvents(5, longAgo());
  await claimEvents(service.store, events, 'batch/bat_crashed');
  const ports = { ...relayPorts(), starts: newStarts(service) };
  expect(await sweep(ports, never)).toBe(5);
  const input = await inputOf('batch/bat_crashed');
  expect(input.events.map((event) => event.eventId)).toEqual(events.map((event) => event._id));
  await untilDispatched(events);
});

test('a lost batch is started with its newer events, which no other workflow would deliver', async () => {
  const now = new Date();
  // The grace period of the relay is two seconds: the last two are not old enough yet.
  const ages = [2_001, 2_001, 2_000, 0];
  const events: EventDocument[] = [];
  for (const ageMs of ages) {
    events.push(...(await insertEvents(1, new Date(now.getTime() - ageMs))));
  }
  await claimEvents(service.store, events, 'batch/bat_of_all_ages');
  const ports = { ...relayPorts(), starts: newStarts(service), clock: { now: () => now } };
  expect(await sweep(ports, never)).toBe(4);
  const input = await inputOf('batch/bat_of_all_ages');
  const carried = input.events.map((event) => event.eventId).toSorted();
  expect(carried).toEqual(events.map((event) => event._id).toSorted());
  await untilDispatched(events);
});

test('more lost batches than a sweep reads are started completely by the next sweeps', async () => {
  const batches: EventDocument[][] = [];
  for (let n = 0; n < 3; n += 1) batches.push(await insertEvents(3, longAgo()));
  for (const [n, events] of batches.entries()) {
    await claimEvents(service.store, events, `batch/bat_cut_${n}`);
  }
  const found = await findClaimed(service.store, new Date(), 4);
  const ids = batches.slice(0, 2).flatMap((events) => events.map((event) => event._id));
  expect(found.map((event) => event._id).toSorted()).toEqual(ids.toSorted());
  await service.store.events.deleteMany({ workflowId: /^batch\/bat_cut/ });
});

test('after a crash between start and mark the relay marks the events, and does not start or count anything again', async () => {
  const counted = jest.spyOn(instruments.eventsStarted, 'add');
  const events = await insertEvents(5, longAgo());
  const starts = newStarts(service);
  await (
    await starts.startEvents(events, 'relay')
  ).marked;
  const [workflowId] = await workflowIdsOf(events);
  const handle = service.temporal.client.workflow.getHandle(workflowId ?? '');
  const { runId } = await handle.describe();
  const ids = events.map((event) => event._id);
  await service.store.events.updateMany({ _id: { $in: ids } }, { $set: { dispatchedAt: null } });
  const ports = { ...relayPorts(), starts };
  expect(await sweep(ports, never)).toBe(5);
  expect((await handle.describe()).runId).toBe(runId);
  await untilDispatched(events);
  expect(counted.mock.calls).toEqual([[5, { by: 'relay' }]]);
  counted.mockRestore();
});

test('after a failed start the waiting events are left to the relay', async () => {
  const away = newStarterWithoutTemporal(service, { eventsPerWorkflowMax: 2 });
  const events = await insertEvents(20);
  const start = jest.spyOn(WorkflowStarts.prototype, 'startEvents');
  away.add(events);
  await away.drained();
  expect(start).toHaveBeenCalledTimes(1);
  start.mockRestore();
  const now = new Date(Date.now() + 10_000);
  const left = [
    ...(await findClaimed(service.store, now, 100)),
    ...(await findUnclaimed(service.store, now, 100)),
  ];
  const ids = new Set(left.map((event) => event._id));
  expect(events.filter((event) => !ids.has(event._id))).toEqual([]);
  await service.store.events.deleteMany({ _id: { $in: [...ids] } });
});

test('a started event leaves its room to others', async () => {
  const starter = newStarter(service);
  const start = jest
    .spyOn(WorkflowStarts.prototype, 'startEvents')
    .mockResolvedValue({ tookMs: 0, marked: Promise.resolve() });
  const event = newEvent(service, [webhookUid], new Date());
  const count = 0.75 * dispatchLimits.eventsWaitingMax;
  for (let round = 0; round < 2; round += 1) {
    starter.add(Array.from({ length: count }, () => event));
    await starter.drained();
  }
  const started = start.mock.calls.flatMap(([events]) => events);
  start.mockRestore();
  expect(started).toHaveLength(2 * count);
});

test('a mark that MongoDB rejects does not stop further starts', async () => {
  const events = await insertEvents(2);
  const { mongodb } = service.config;
  await using store = await connectStore(mongodb);
  failUpdates(store, 'dispatchedAt');
  const starter = newStarter(service, { store });
  starter.add(events);
  await starter.drained();
  for (const event of events) {
    expect((await inputOf(eventWorkflowId(event))).events).toHaveLength(1);
  }
});
