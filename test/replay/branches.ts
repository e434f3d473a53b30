// Every branch of every workflow, played once on real servers; each returns the workflow that took it.
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { startWorkflow } from '../support/starters.ts';
import { insertEvent, insertWebhook } from '../support/fixtures.ts';
import { insertPartition } from '../support/issue-number.ts';
import type { Receiver } from '../support/receivers.ts';
import type { TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { hourMs } from '../../lib/platform/duration.ts';
import { newId } from '../../lib/platform/ids.ts';
import { jobLimits } from '../../lib/limits.ts';
import type { PartitionKey } from '../../lib/model/partition.ts';
import {
  eventsTaskQueue,
  jobWorkflowId,
  partitionWorkflowId,
  retentionJobUid,
  runJobWorkflow,
} from '../../lib/temporal/names.ts';

export interface Stage {
  service: TestService;
  /** Answers with the status in its path, such as `/500`; `/flaky` fails once. */
  receiver: Receiver;
}

/** Plays a branch and returns the id of the workflow that took it, which has ended or will end soon. */
export type Branch = (stage: Stage) => Promise<string>;

const second = 1_000;
// Long enough to act while a delivery waits for its retry.
const longWaitMs = 6 * second;

async function start({ service }: Stage, webhookUids: string[][]): Promise<string> {
  const { store } = service;
  const events = [];
  for (const uids of webhookUids) events.push(await insertEvent(service, uids));
  await startWorkflow(service, events);
  const started = await store.events.findOne({ _id: events[0]?._id ?? '' });
  return started?.workflowId ?? '';
}

async function webhookAt(
  { service, receiver }: Stage,
  path: string,
  retryScheduleMs: number[] = [],
): Promise<string> {
  return (await insertWebhook(service, { url: `${receiver.url}${path}`, retryScheduleMs }))._id;
}

async function pausedWith(stage: Stage, heldCount: number): Promise<string> {
  const uid = await webhookAt(stage, '/200');
  await stage.service.call('PATCH', `/webhooks/${uid}`, { body: { active: false } });
  const each = Array.from({ length: heldCount }, () => [uid]);
  await start(stage, each);
  const held = { webhookUid: uid, state: 'held' } as const;
  await waitFor(
    async () => (await stage.service.store.deliveries.countDocuments(held)) === heldCount,
  );
  return uid;
}

async function resume(stage: Stage, uid: string, onResume = 'deliver'): Promise<string> {
  await stage.service.call('PATCH', `/webhooks/${uid}`, { body: { active: true, onResume } });
  const webhook = await stage.service.store.webhooks.findOne({ _id: uid });
  return startedJob(stage, webhook?.releaseUid ?? '');
}

/** Pauses a webhook once its release has sent everything, which ends the release at its next page. */
async function endRelease({ service }: Stage, uid: string): Promise<void> {
  const open = { webhookUid: uid, state: { $in: ['pending', 'held'] } } as const;
  await waitFor(async () => (await service.store.deliveries.countDocuments(open)) === 0);
  await service.call('PATCH', `/webhooks/${uid}`, { body: { active: false } });
}

async function startedJob({ service }: Stage, jobUid: string): Promise<string> {
  const started = { _id: jobUid, startedAt: { $ne: null } };
  await waitFor(async () => (await service.store.jobs.countDocuments(started)) === 1);
  return jobWorkflowId(jobUid);
}

interface Ordered {
  eventIds: string[];
  partition: PartitionKey;
  workflowId: string;
}

/** Starts events about one resource, each with its own workflow, to a webhook that gets them in order. */
async function startInOrder(
  stage: Stage,
  path: string,
  { count, retryScheduleMs }: { count: number; retryScheduleMs?: number[] },
): Promise<Ordered> {
  const { store, app } = stage.service;
  const webhookUid = await webhookAt(stage, path, retryScheduleMs);
  const partition: PartitionKey = {
    appUid: app.appUid,
    webhookUid,
    entity: 'agent',
    resourceUid: newId('agt'),
  };
  await insertPartition(store, { ...partition, issued: count });
  const eventIds: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const event = await insertEvent(stage.service, [webhookUid]);
    const place = { resourceUid: partition.resourceUid, order: [{ webhookUid, n }] };
    await store.events.updateOne({ _id: event._id }, { $set: place });
    eventIds.push(event._id);
  }
  // The later ones first, so that it is not their turn yet.
  for (const eventId of eventIds.toReversed()) await startStored(stage, eventId);
  return { eventIds, partition, workflowId: partitionWorkflowId(partition) };
}

/** Starts a partition whose head waits for a retry. */
async function retryInOrder(stage: Stage): Promise<Ordered> {
  const ordered = await startInOrder(stage, '/500', { count: 2, retryScheduleMs: [longWaitMs] });
  await untilState(stage, ordered.eventIds[0] ?? '', 'retrying');
  const handle = stage.service.temporal.client.workflow.getHandle(ordered.workflowId);
  await waitFor(async () => {
    const history = await handle.fetchHistory().catch(() => null);
    return history?.events?.some((event) => event.timerStartedEventAttributes);
  });
  return ordered;
}

/** Starts an event that is retried after a while. */
async function retryLater(
  stage: Stage,
  ...waitsMs: number[]
): Promise<{ eventId: string; webhookUids: string[]; workflowId: string }> {
  const waits = waitsMs.length === 0 ? [longWaitMs] : waitsMs;
  const webhookUids = await Promise.all(waits.map((waitMs) => webhookAt(stage, '/500', [waitMs])));
  const workflowId = await start(stage, [webhookUids]);
  const eventId = workflowId.replace('agent.updated/', '');
  const retrying = { eventId, state: 'retrying' } as const;
  await waitFor(
    async () =>
      (await stage.service.store.deliveries.countDocuments(retrying)) === webhookUids.length,
  );
  return { eventId, webhookUids, workflowId };
}

async function cancel({ service }: Stage, workflowId: string): Promise<string> {
  await service.temporal.client.workflow.getHandle(workflowId).cancel();
  return workflowId;
}

/** Cancels a workflow between two of its steps. */
async function cancelAsleep(stage: Stage, workflowId: string): Promise<string> {
  const handle = stage.service.temporal.client.workflow.getHandle(workflowId);
  await waitFor(async () => {
    const { events } = await handle.fetchHistory();
    return events?.some((event) => event.timerStartedEventAttributes);
  });
  return cancel(stage, workflowId);
}

async function startStored({ service }: Stage, eventId: string): Promise<void> {
  const event = await service.store.events.findOne({ _id: eventId });
  if (event !== null) await startWorkflow(service, [event]);
}

async function untilState(
  { service }: Stage,
  eventId: string,
  state: DeliveryState,
): Promise<void> {
  await waitFor(
    async () => (await service.store.deliveries.countDocuments({ eventId, state })) === 1,
    { what: `${eventId} ${state}` },
  );
}

export const branches: Readonly<Record<string, Branch>> = {
  'deliver-one': async (stage) => start(stage, [[await webhookAt(stage, '/200')]]),
  'deliver-batch': async (stage) => {
    const uid = await webhookAt(stage, '/200');
    return start(stage, [[uid], [uid], [uid]]);
  },
  'deliver-in-shared-activities': async (stage) => {
    const uids = [];
    for (let n = 0; n < 51; n += 1) uids.push(await webhookAt(stage, '/200'));
    return start(stage, [uids]);
  },
  'retry-then-deliver': async (stage) =>
    start(stage, [[await webhookAt(stage, '/flaky', [second])]]),
  'fail-one': async (stage) => start(stage, [[await webhookAt(stage, '/500', [second])]]),
  'fail-some': async (stage) =>
    start(stage, [[await webhookAt(stage, '/200'), await webhookAt(stage, '/500')]]),
  hold: async (stage) => {
    const uid = await webhookAt(stage, '/200');
    await stage.service.call('PATCH', `/webhooks/${uid}`, { body: { active: false } });
    return start(stage, [[uid]]);
  },
  cancel: async (stage) => start(stage, [[newId('whk')]]),
  'release-held': async (stage) => {
    const uid = await pausedWith(stage, 2);
    const workflowId = await resume(stage, uid);
    await endRelease(stage, uid);
    return workflowId;
  },
  'discard-held': async (stage) => {
    const uid = await pausedWith(stage, 1);
    const workflowId = await resume(stage, uid, 'discard');
    await endRelease(stage, uid);
    return workflowId;
  },
  resend: async (stage) => {
    const uid = await webhookAt(stage, '/200');
    const workflowId = await start(stage, [[uid]]);
    const eventId = workflowId.replace('agent.updated/', '');
    const answer = await stage.service.call('POST', `/events/${eventId}/resend`, { body: {} });
    return startedJob(stage, String(answer.body['redeliveryUid']));
  },
  // These end long before the retry that they wait for.
  'overtaken-by-resend': async (stage) => {
    const { eventId, workflowId } = await retryLater(stage, hourMs);
    await stage.service.call('POST', `/events/${eventId}/resend`, { body: {} });
    return workflowId;
  },
  'overtaken-by-deletion': async (stage) => {
    const { webhookUids, workflowId } = await retryLater(stage, hourMs, longWaitMs);
    await stage.service.call('DELETE', `/webhooks/${webhookUids[0]}`);
    return workflowId;
  },
  'cancelled-while-retried': async (stage) => cancel(stage, (await retryLater(stage)).workflowId),
  'release-cancelled': async (stage) => {
    const uid = await pausedWith(stage, jobLimits.releasedPerSecondDefault);
    return cancelAsleep(stage, await resume(stage, uid));
  },
  'left-to-partition': async (stage) => {
    const { eventIds } = await startInOrder(stage, '/200', { count: 2 });
    return `agent.updated/${eventIds[1]}`;
  },
  'partition-delivers': async (stage) => {
    const { eventIds, workflowId } = await startInOrder(stage, '/200', { count: 3 });
    await untilState(stage, eventIds[2] ?? '', 'delivered');
    return workflowId;
  },
  'partition-retries': async (stage) => {
    const facts = { count: 3, retryScheduleMs: [second] };
    const { eventIds, workflowId } = await startInOrder(stage, '/500', facts);
    await untilState(stage, eventIds[2] ?? '', 'exhausted');
    return workflowId;
  },
  'partition-signalled': async (stage) => {
    const { eventIds, partition, workflowId } = await retryInOrder(stage);
    const body = { retrySchedule: [] };
    await stage.service.call('PATCH', `/webhooks/${partition.webhookUid}`, { body });
    for (const eventId of eventIds) {
      await stage.service.call('POST', `/events/${eventId}/resend`, { body: {} });
    }
    return workflowId;
  },
  'partition-cancelled': async (stage) => cancel(stage, (await retryInOrder(stage)).workflowId),
  retention: async ({ service }) => {
    const workflowId = jobWorkflowId(`${retentionJobUid}/${newId('bat')}`);
    const options = { taskQueue: eventsTaskQueue, workflowId, args: [{ jobUid: retentionJobUid }] };
    await service.temporal.client.workflow.start(runJobWorkflow, options);
    return workflowId;
  },
};
