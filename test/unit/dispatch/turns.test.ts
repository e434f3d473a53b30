// Who goes next: events that wait for a workflow, jobs, signals to partitions, slots of a rate limit.
import type { EventToDispatch } from '../../../lib/model/event.ts';
import { WaitingEvents } from '../../../lib/dispatch/starter.ts';
import { chooseJobs, type UnfinishedJob } from '../../../lib/jobs/job-turns.ts';
import { jobLimits } from '../../../lib/limits.ts';
import type { Client } from '@temporalio/client';
import { createPartitionSignaller } from '../../../lib/temporal/signal-partition.ts';
import { hasSlot } from '../../../lib/rate-limit/slot.ts';
import { waitFor } from '../../support/wait-for.ts';

let made = 0;

function event(appUid: string, webhooks = 1): EventToDispatch {
  made += 1;
  return {
    _id: `evt_${made}`,
    appUid,
    event: 'agent.updated',
    resourceUid: 'agt_1',
    externalTenantId: 'tenant-1',
    webhookUids: Array.from({ length: webhooks }, (_, n) => `whk_${n}`),
    workflowId: null,
    createdAt: new Date(0),
  };
}

function waitingWith(events: readonly EventToDispatch[]): WaitingEvents {
  const waiting = new WaitingEvents();
  for (const each of events) waiting.add(each);
  return waiting;
}

test('the events of an application share a workflow, oldest first, up to a maximum', () => {
  const events = [event('app_a'), event('app_a'), event('app_a')];
  const waiting = waitingWith(events);
  expect(waiting.take(2)).toEqual(events.slice(0, 2));
  expect(waiting.count).toBe(1);
  expect(waiting.take(2)).toEqual(events.slice(2));
  expect(waiting.take(2)).toEqual([]);
});

test('applications share a workflow, and take turns even if one has many events', () => {
  const busy = Array.from({ length: 5 }, () => event('app_busy'));
  const quiet = event('app_quiet');
  const waiting = waitingWith([...busy, quiet]);
  expect(waiting.take(3)).toEqual([busy[0], quiet, busy[1]]);
  expect(waiting.take(3)).toEqual(busy.slice(2));
});

test('an event with too many deliveries for a workflow leaves the room to another application', () => {
  const [large, small, next] = [event('app_a', 450), event('app_b', 50), event('app_a', 1)];
  const waiting = waitingWith([large, event('app_a', 51), small, next]);
  expect(waiting.take(60)).toEqual([large, small]);
  expect(waiting.count).toBe(2);
});

test.each([
  [[250, 250, 1], 2],
  [[250, 251], 1],
  [[499, 1, 1], 2],
  [[1_000, 1], 1],
])('of events with %p webhooks, the first %p share a workflow', (webhooks, together) => {
  const waiting = waitingWith(webhooks.map((count) => event('app_a', count)));
  expect(waiting.take(60)).toHaveLength(together);
});

test('clearing removes and returns all waiting events', () => {
  const events = [event('app_a'), event('app_b')];
  const waiting = waitingWith(events);
  expect(waiting.clear()).toEqual(events);
  expect(waiting.count).toBe(0);
  expect(waiting.take(60)).toEqual([]);
});

const { runningPerKindMax } = jobLimits;
let uids = 0;
const job = (
  state: UnfinishedJob['state'],
  kind: UnfinishedJob['kind'],
  webhookUids: string[] = [`whk_${(uids += 1)}`],
): UnfinishedJob => ({ _id: `job_${(uids += 1)}`, state, kind, webhookUids });

const running = (kind: UnfinishedJob['kind'], webhookUids?: string[]): UnfinishedJob =>
  job('running', kind, webhookUids);
const waiting = (kind: UnfinishedJob['kind'], webhookUids?: string[]): UnfinishedJob =>
  job('waiting', kind, webhookUids);

describe('a waiting job', () => {
  test.each([
    { beside: 'nothing', others: [], may: true },
    { beside: 'a replay of another webhook', others: [running('replay', ['b'])], may: true },
    { beside: 'a replay of its webhook', others: [running('replay', ['a'])], may: false },
    { beside: 'a sync of its webhook', others: [running('sync', ['a'])], may: false },
    { beside: 'an application replay', others: [running('replay', ['b', 'a'])], may: false },
    { beside: 'an erasure', others: [running('erasure', [])], may: true },
    {
      beside: 'one less than the maximum of its kind',
      others: Array.from({ length: runningPerKindMax - 1 }, () => running('replay')),
      may: true,
    },
    {
      beside: 'the maximum of its kind',
      others: Array.from({ length: runningPerKindMax }, () => running('replay')),
      may: false,
    },
    {
      beside: 'the maximum of another kind',
      others: Array.from({ length: runningPerKindMax }, () => running('sync')),
      may: true,
    },
  ])('beside $beside may begin: $may', ({ others, may }) => {
    const own = waiting('replay', ['a']);
    expect(chooseJobs([...others, own])).toEqual(may ? [own._id] : []);
  });
});

test('a job does not overtake an older one that waits for one of its webhooks', () => {
  const jobs = [running('replay', ['a']), waiting('replay', ['a', 'b']), waiting('sync', ['b'])];
  expect(chooseJobs(jobs)).toEqual([]);
});

test('as many waiting jobs begin as there is room for', () => {
  const jobs = Array.from({ length: runningPerKindMax + 1 }, () => waiting('erasure', []));
  expect(chooseJobs(jobs)).toEqual(jobs.slice(0, runningPerKindMax).map(({ _id }) => _id));
});

/** A client whose signals to one application's partitions end only when the test says so. */
function createClient(heldAppUid: string) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let running = 0;
  const workflow = {
    async signalWithStart(_type: string, { args }: { args: [{ appUid: string }] }): Promise<void> {
      if (args[0].appUid !== heldAppUid) return;
      running += 1;
      await ended;
    },
  };
  const withDeadline = (_deadline: number, call: () => Promise<void>): Promise<void> => call();
  const client = { workflow, withDeadline } as unknown as Client;
  return { client, end, running: () => running };
}

test('the signals of an application with many partitions hold up none of another', async () => {
  const { client, end, running } = createClient('app_many');
  const signal = createPartitionSignaller(client);
  const common = { webhookUid: 'whk_1', entity: 'agent' } as const;
  const many = Array.from({ length: 300 }, (_, n) =>
    signal({ ...common, appUid: 'app_many', resourceUid: `agt_${n}` }),
  );
  await signal({ ...common, appUid: 'app_few', resourceUid: 'agt_1' });
  // Three quarters of the concurrent signals.
  await waitFor(() => running() === 75);
  end();
  await Promise.all(many);
  expect(running()).toBe(300);
});

const slot = new Date('2026-01-01T12:00:00Z');
const reservedAt = new Date('2026-01-01T11:00:00Z');
const waited = { isRateLimited: true, nextAttemptAt: slot, updatedAt: reservedAt };
const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

test.each([
  { of: 'at its time', lateMs: 0, valid: true },
  { of: 'a second late', lateMs: 1_000, valid: true },
  { of: 'more than a second late', lateMs: 1_001, valid: false },
  { of: 'of an unchanged webhook', changedMs: 0, valid: true },
  { of: 'of a webhook that was changed since', changedMs: 1, valid: false },
  { of: 'that is the time of a retry', fields: { isRateLimited: false }, valid: false },
  { of: 'without a time', fields: { nextAttemptAt: null }, valid: false },
])('a slot $of is valid: $valid', ({ lateMs = 0, changedMs = -1, fields = {}, valid }) => {
  const facts = { webhookUpdatedAt: after(reservedAt, changedMs), now: after(slot, lateMs) };
  expect(hasSlot({ ...waited, ...fields }, facts)).toBe(valid);
});

test('a delivery that was never attempted has no slot', () => {
  expect(hasSlot(null, { webhookUpdatedAt: reservedAt, now: slot })).toBe(false);
});
