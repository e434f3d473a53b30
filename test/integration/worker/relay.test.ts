// The relay starts what the direct start missed, once. An outage of Temporal only delays it.
import { isDeepStrictEqual } from 'node:util';
import { WorkflowNotFoundError } from '@temporalio/client';
import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import {
  createPartitionSignaller,
  type SignalPartition,
} from '../../../lib/temporal/signal-partition.ts';
import {
  keyOfPartition,
  type PartitionDocument,
  partitionId,
} from '../../../lib/model/partition.ts';
import { newErasure } from '../../../lib/jobs/erasure/erasures.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import type { WorkflowStarts } from '../../../lib/dispatch/workflow-starts.ts';
import {
  eventWorkflowId,
  jobWorkflowId,
  partitionWorkflowId,
} from '../../../lib/temporal/names.ts';
import { type RelayPorts, runRelay, sweep } from '../../../worker/relay.ts';
import { newStarterWithoutTemporal, newStarts, startWorkflow } from '../../support/starters.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

let service: TestService;
let starts: WorkflowStarts;
let signalPartition: SignalPartition;
let webhookUid: string;
const never = new AbortController().signal;
const uidOf = ({ _id }: { _id: string }): string => _id;
const longAgo = (): Date => new Date(Date.now() - 60_000);

beforeAll(async () => {
  // Without a worker nothing else sweeps, so each test sees only its own sweeps.
  service = await startService({ worker: false });
  starts = newStarts(service);
  signalPartition = createPartitionSignaller(service.temporal.client);
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
});

afterAll(() => service?.[Symbol.asyncDispose]());

async function dispatchedAt(eventId: string): Promise<Date | null | undefined> {
  return (await service.store.events.findOne({ _id: eventId }))?.dispatchedAt;
}

const relayPorts = (clock: Clock = systemClock): RelayPorts => ({
  store: service.store,
  starts,
  signalPartition,
  clock,
  eventsPerWorkflowMax: 60,
});

const sweepOnce = (clock?: Clock): Promise<number> => sweep(relayPorts(clock), never);

/** The mark is acknowledged by one server, so a majority read sees it a moment later. */
async function untilMarked(eventId: string): Promise<void> {
  await waitFor(async () => (await dispatchedAt(eventId)) instanceof Date, { what: 'the mark' });
}

test('the relay leaves an event younger than two seconds to the direct start', async () => {
  const event = await insertEvent(service, [webhookUid]);
  const sweepAfter = (ms: number): Promise<number> =>
    sweepOnce({ now: () => new Date(event.createdAt.getTime() + ms) });
  expect(await sweepAfter(2_000)).toBe(0);
  expect(await dispatchedAt(event._id)).toBeNull();
  expect(await sweepAfter(2_001)).toBe(1);
  await untilMarked(event._id);
});

test('an event that was started but not marked is not started twice', async () => {
  const event = await insertEvent(service, [webhookUid], longAgo());
  await startWorkflow(service, [event]);
  const handle = service.temporal.client.workflow.getHandle(eventWorkflowId(event));
  const first = await handle.describe();
  await service.store.events.updateOne({ _id: event._id }, { $set: { dispatchedAt: null } });
  expect(await sweepOnce()).toBe(1);
  expect((await handle.describe()).runId).toBe(first.runId);

  await handle.terminate('to see the start of an ended workflow');
  await service.store.events.updateOne({ _id: event._id }, { $set: { dispatchedAt: null } });
  expect(await sweepOnce()).toBe(1);
  expect((await handle.describe()).status.name).toBe('TERMINATED');
  await untilMarked(event._id);
});

test.each([
  ['a release', () => newRelease({ appUid: service.app.appUid, webhookUid }, longAgo())],
  ['an erasure', () => newErasure(service.app.appUid, { externalTenantId: 'tenant-1' }, longAgo())],
])('%s whose direct start was lost is started once, and marked', async (_what, make) => {
  const { jobs } = service.store;
  const job = make();
  const { _id } = job;
  await jobs.insertOne(job);
  const isMarked = async () => (await jobs.findOne({ _id }))?.startedAt instanceof Date;
  expect(await sweepOnce()).toBe(1);
  await waitFor(isMarked, { what: 'the mark' });
  const handle = service.temporal.client.workflow.getHandle(jobWorkflowId(_id));
  const { runId } = await handle.describe();

  await jobs.updateOne({ _id }, { $set: { startedAt: null } });
  expect(await sweepOnce()).toBe(1);
  expect((await handle.describe()).runId).toBe(runId);
  await waitFor(isMarked, { what: 'the mark' });
  expect(await sweepOnce()).toBe(0);
});

/** Writes a partition with one waiting event and its `signalAt`. */
async function insertPartition(resourceUid: string, signalAt: Date): Promise<PartitionDocument> {
  const { appUid } = service.app;
  const key = { appUid, webhookUid, entity: 'agent', resourceUid } as const;
  const progress = { settled: 0, lease: null, signalAt };
  const partition = { _id: partitionId(key), ...key, ...progress };
  await service.store.partitions.insertOne(partition);
  return partition;
}

test('a partition whose signal was lost is signalled when due, and again each minute while it does not move', async () => {
  const now = new Date();
  const partition = await insertPartition('agt_lost', now);
  const sweepAfter = (ms: number): Promise<number> =>
    sweepOnce({ now: () => new Date(now.getTime() + ms) });
  expect(await sweepAfter(0)).toBe(0);
  expect(await sweepAfter(1)).toBe(1);
  const id = partitionWorkflowId(keyOfPartition(partition));
  const handle = service.temporal.client.workflow.getHandle(id);
  const { runId } = await handle.describe();
  expect(await sweepAfter(60_001)).toBe(0);
  expect(await sweepAfter(60_002)).toBe(1);
  expect((await handle.describe()).runId).toBe(runId);
  await service.store.partitions.deleteMany({});
});

/** Returns sweeps at times after `now`, whose signals fail if `arrives` returns false. */
function sweepsThatSignal(now: Date, arrives: () => boolean): (ms: number) => Promise<number> {
  const signal = async (): Promise<void> => {
    if (!arrives()) throw new Error('Temporal is away');
  };
  return (ms) => {
    const ports = relayPorts({ now: () => new Date(now.getTime() + ms) });
    return sweep({ ...ports, signalPartition: signal }, never);
  };
}

test('a parked partition whose time has come is signalled', async () => {
  const { _id } = await insertPartition('agt_parked', longAgo());
  const parked = { signalAt: null, retry: { dueAt: longAgo(), isParked: true } };
  await service.store.partitions.updateOne({ _id }, { $set: parked });
  expect(await sweepOnce()).toBe(1);
  await service.store.partitions.deleteMany({});
});

test('of many partitions each is signalled again 5 s later, even if the relay gave up before reaching it', async () => {
  const now = new Date();
  const count = 70;
  for (let n = 0; n < count; n += 1) await insertPartition(`agt_away_${n}`, now);
  let isAway = true;
  let signals = 0;
  const sweepAfter = sweepsThatSignal(now, () => {
    signals += 1;
    return !isAway;
  });
  await expect(sweepAfter(1)).rejects.toThrow('Temporal is away');
  expect(signals).toBeLessThan(count);
  isAway = false;
  expect(await sweepAfter(5_002)).toBe(count);
  await service.store.partitions.deleteMany({});
});

test('the relay repeats failed starts until they succeed, and stops on request', async () => {
  const event = await insertEvent(service, [webhookUid], longAgo());
  const stopping = new AbortController();
  let startCount = 0;
  const flaky: RelayPorts['starts'] = {
    startJob: (job) => starts.startJob(job),
    async startEvents(...toStart) {
      startCount += 1;
      if (startCount === 1) throw new Error('Temporal is away');
      return starts.startEvents(...toStart);
    },
  };
  const relay = runRelay({ ...relayPorts(), starts: flaky }, stopping.signal);
  await waitFor(async () => (await dispatchedAt(event._id)) instanceof Date);
  stopping.abort();
  await relay;
  // The next sweep may come before the mark of a start that succeeded.
  expect(startCount).toBeGreaterThanOrEqual(2);
});

test('a change gets a response even if no workflow can be started, and its event is kept for the relay', async () => {
  const away = newStarterWithoutTemporal(service);
  const real = service.context.starter;
  service.context.starter = away;
  const answer = await service.call('POST', '/changes', {
    body: { event: 'agent.updated', data: { uid: 'agt_elsewhere', externalTenantId: 't' } },
  });
  await away.drained();
  service.context.starter = real;
  expect(answer.status).toBe(202);
  const eventId = String(answer.body['eventId']);
  const handle = service.temporal.client.workflow.getHandle(`agent.updated/${eventId}`);
  await expect(handle.describe()).rejects.toThrow(WorkflowNotFoundError);
  await service.store.events.updateOne({ _id: eventId }, { $set: { createdAt: longAgo() } });
  expect(await sweepOnce()).toBe(1);
  await untilMarked(eventId);
});

test('an event that no webhook gets is stored and needs no workflow', async () => {
  const event = await service.call('POST', '/changes', {
    body: { event: 'context.updated', data: { uid: 'ctx_elsewhere', externalTenantId: 't' } },
  });
  await service.store.webhooks.updateMany({}, { $set: { entities: ['context'] } });
  const unheard = await service.call('POST', '/changes', {
    body: { event: 'agent.updated', data: { uid: 'agt_unheard', externalTenantId: 't' } },
  });
  const stored = await service.store.events.findOne({ _id: String(unheard.body['eventId']) });
  expect(stored).toMatchObject({ webhookUids: [] });
  expect(stored?.dispatchedAt).toBeInstanceOf(Date);
  expect(event.status).toBe(202);
});

test('a workflow that cannot be started does not delay others, and the relay backs off when none can be started', async () => {
  await service.store.events.updateMany({}, { $set: { dispatchedAt: new Date() } });
  const event = await insertEvent(service, [webhookUid], longAgo());
  const jobs = [1, 2].map(() => newRelease({ appUid: service.app.appUid, webhookUid }, longAgo()));
  await service.store.jobs.insertMany(jobs);
  const [stuck] = jobs;
  const refuse = (): Promise<never> => Promise.reject(new Error('refused'));
  const partly: RelayPorts['starts'] = {
    startEvents: refuse,
    startJob: (job) => (job._id === stuck?._id ? refuse() : starts.startJob(job)),
  };
  const stuckPartition = await insertPartition('agt_stuck', longAgo());
  await insertPartition('agt_free', longAgo());
  const ports: RelayPorts = {
    ...relayPorts(),
    starts: partly,
    signalPartition: (key) =>
      key.resourceUid === stuckPartition.resourceUid ? refuse() : signalPartition(key),
  };
  expect(await sweep(ports, never)).toBe(2);
  // Jobs of other tests may be about to start.
  const ours = { _id: { $in: jobs.map(uidOf) }, startedAt: null };
  const unstarted = async () => ({
    events: (await service.store.events.find({ dispatchedAt: null }).toArray()).map(uidOf),
    jobs: (await service.store.jobs.find(ours).toArray()).map(uidOf),
  });
  const stuckOnes = { events: [event._id], jobs: [stuck?._id] };
  // A start is marked after its call returns.
  await waitFor(async () => isDeepStrictEqual(await unstarted(), stuckOnes), {
    what: 'the marks of all started jobs',
    state: unstarted,
  });

  await expect(sweep(ports, never)).rejects.toThrow('refused');
  expect(await unstarted()).toEqual(stuckOnes);
});
