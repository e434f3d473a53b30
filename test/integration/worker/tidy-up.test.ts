// What is old goes, what is not stays, and a schedule sees to it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryState } from '../../../lib/delivery/outcome.ts';
import { newId } from '../../../lib/ids.ts';
import { systemCaller } from '../../../lib/store/audit-log.ts';
import { eventsTaskQueue, tidyUpScheduleId, tidyUpWorkflow } from '../../../lib/temporal/names.ts';
import { ensureTidyUpSchedule } from '../../../lib/temporal/tidy-up-schedule.ts';
import { insertEvent, newDelivery } from '../../support/fixtures.ts';
import { startService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';

let service: TestService;
const dayMs = 24 * 60 * 60 * 1_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * dayMs);

beforeAll(async () => {
  service = await startService({ env: { HERALD_RETENTION: '30d', HERALD_HELD_FOR: '3d' } });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function insertDeliveries(count: number, state: DeliveryState, at: Date): Promise<string[]> {
  const made = Array.from({ length: count }, () => newDelivery(service, at, { state }));
  await service.store.deliveries.insertMany(made);
  return made.map((delivery) => delivery._id);
}

async function runTidyUp(): Promise<unknown> {
  return service.temporal.client.workflow.execute(tidyUpWorkflow, {
    taskQueue: eventsTaskQueue,
    workflowId: `tidyUp/${newId('bat')}`,
    args: [],
  });
}

test('records older than the retention go, in as many batches as it takes; younger ones stay', async () => {
  await insertDeliveries(2_500, 'delivered', daysAgo(31));
  const kept = await insertDeliveries(3, 'delivered', daysAgo(29));
  const old = await insertEvent(service, [], daysAgo(31));
  const young = await insertEvent(service, [], daysAgo(29));
  expect(await runTidyUp()).toMatchObject({ expired: 0, deliveries: 2_500, events: 1 });
  const left = await service.store.deliveries.find().sort({ _id: 1 }).toArray();
  expect(left.map((delivery) => delivery._id)).toEqual(kept.toSorted());
  const events = await service.store.events.find({ _id: { $in: [old._id, young._id] } }).toArray();
  expect(events.map((event) => event._id)).toEqual([young._id]);
  await service.store.deliveries.deleteMany({});
});

test('rows of the audit log go after 400 days, however many there are', async () => {
  const { auditLog } = service.store;
  await auditLog.deleteMany({});
  const insertRows = async (count: number, at: Date): Promise<void> => {
    const entry = { appUid: null, action: 'admin.signed_in', target: { kind: 'admin', uid: '' } };
    const row = { ...entry, ...systemCaller, details: {}, createdAt: at };
    const rows = Array.from({ length: count }, () => ({ _id: newId('aud', at), ...row }));
    await auditLog.insertMany(rows);
  };
  await insertRows(2_500, daysAgo(400.01));
  await insertRows(2, daysAgo(399.99));
  expect(await runTidyUp()).toMatchObject({ auditRows: 2_500, events: 0 });
  expect(await auditLog.countDocuments()).toBe(2);
});

test('what has been held for too long is dropped; what was held later, or is not held, stays', async () => {
  const [tooLong = ''] = await insertDeliveries(1, 'held', daysAgo(3.01));
  const [later = ''] = await insertDeliveries(1, 'held', daysAgo(2.99));
  const [retrying = ''] = await insertDeliveries(1, 'retrying', daysAgo(5));
  expect(await runTidyUp()).toMatchObject({ expired: 1, deliveries: 0 });
  const states = await Promise.all(
    [tooLong, later, retrying].map(
      async (_id) => (await service.store.deliveries.findOne({ _id }))?.state,
    ),
  );
  expect(states).toEqual(['cancelled', 'held', 'retrying']);
});

test('the schedule is made once however often it is asked for, and runs one at a time', async () => {
  const { client } = service.temporal;
  await Promise.all([ensureTidyUpSchedule(client), ensureTidyUpSchedule(client)]);
  await ensureTidyUpSchedule(client);
  const schedule = await client.schedule.getHandle(tidyUpScheduleId).describe();
  expect(schedule.policies.overlap).toBe('SKIP');
  expect(schedule.action).toMatchObject({
    workflowType: tidyUpWorkflow,
    taskQueue: eventsTaskQueue,
  });
});
