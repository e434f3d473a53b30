// Every branch of every workflow, played once on real servers; each gives the workflow that took it.
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { newDispatcher } from '../support/dispatchers.ts';
import { insertEvent, insertWebhook } from '../support/fixtures.ts';
import type { Receiver } from '../support/receivers.ts';
import type { TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { newId } from '../../lib/ids.ts';
import { releasedPerSecondDefault } from '../../lib/temporal/messages.ts';
import {
  eraseWorkflow,
  eventsTaskQueue,
  laneWorkflowId,
  redeliverWorkflowId,
  releaseWorkflowId,
  tidyUpWorkflow,
} from '../../lib/temporal/names.ts';

export interface Stage {
  service: TestService;
  /** Answers with the status that its path names, such as `/500`; `/flaky` fails once. */
  receiver: Receiver;
}

/** Plays a branch and gives the id of the workflow that took it, ended or to be ended soon. */
export type Branch = (stage: Stage) => Promise<string>;

const second = 1_000;
// Long enough to act while a delivery waits for its retry.
const longWaitMs = 15 * second;

async function start({ service }: Stage, webhookUids: string[][]): Promise<string> {
  const { store } = service;
  const events = [];
  for (const uids of webhookUids) events.push(await insertEvent(service, uids));
  await newDispatcher(service).start(events);
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

async function resume(stage: Stage, uid: string): Promise<string> {
  await stage.service.call('PATCH', `/webhooks/${uid}`, { body: { active: true } });
  // Null once the release was started.
  const started = { _id: uid, resumedAt: null };
  const webhook = await waitFor(
    async () => (await stage.service.store.webhooks.findOne(started)) ?? undefined,
  );
  return releaseWorkflowId({ ...webhook, resumedAt: webhook.updatedAt });
}

async function discard(stage: Stage, uid: string): Promise<string> {
  const body = { active: true, onResume: 'discard' };
  await stage.service.call('PATCH', `/webhooks/${uid}`, { body });
  return startedRedelivery(stage, { webhookUids: uid });
}

async function startedRedelivery(stage: Stage, filter: object): Promise<string> {
  const { redeliveries } = stage.service.store;
  const started = { ...filter, startedAt: { $ne: null } };
  const redelivery = await waitFor(async () => (await redeliveries.findOne(started)) ?? undefined);
  return redeliverWorkflowId(redelivery._id);
}

/** Starts events about one resource, each with a workflow of its own, to a webhook that wants them in order. */
async function startInOrder(
  stage: Stage,
  path: string,
  facts: { count: number; retryScheduleMs?: number[] },
): Promise<{ eventIds: string[]; lane: string }> {
  const { store } = stage.service;
  const webhookUid = await webhookAt(stage, path, facts.retryScheduleMs);
  await store.webhooks.updateOne({ _id: webhookUid }, { $set: { ordering: 'resource' } });
  const resourceUid = newId('agt');
  const eventIds: string[] = [];
  for (let sequence = 1; sequence <= facts.count; sequence += 1) {
    const { _id } = await insertEvent(stage.service, [webhookUid]);
    const place = { resourceUid, sequence, inOrder: true };
    await store.events.updateOne({ _id }, { $set: place });
    eventIds.push(_id);
  }
  return { eventIds, lane: laneWorkflowId({ webhookUid, entity: 'agent', resourceUid }) };
}

/** The same, of which all but the first are started, and wait for it in the lane. */
async function lineUp(
  stage: Stage,
  path: string,
  facts: { count: number; retryScheduleMs?: number[] },
): Promise<{ eventIds: string[]; lane: string }> {
  const { eventIds, lane } = await startInOrder(stage, path, facts);
  for (const eventId of eventIds.slice(1)) {
    await startStored(stage, eventId);
    await untilState(stage, eventId, 'waiting');
  }
  return { eventIds, lane };
}

/** Brings an event to where the workflow of its lane retries it. */
async function retryInLane(stage: Stage): Promise<{ eventId: string; lane: string }> {
  const { store, temporal } = stage.service;
  const facts = { count: 2, retryScheduleMs: [longWaitMs] };
  const { eventIds, lane } = await lineUp(stage, '/500', facts);
  const [first = '', eventId = ''] = eventIds;
  await store.events.updateOne({ _id: first }, { $set: { inOrder: false } });
  await untilState(stage, eventId, 'retrying');
  const handle = temporal.client.workflow.getHandle(lane);
  await waitFor(async () => {
    const { pendingActivities } = (await handle.describe()).raw;
    return pendingActivities?.some((activity) => activity.activityId === eventId);
  });
  return { eventId, lane };
}

/** Starts an event that is retried after a while. */
async function retryLater(stage: Stage): Promise<{ eventId: string; workflowId: string }> {
  const workflowId = await start(stage, [[await webhookAt(stage, '/500', [longWaitMs])]]);
  const eventId = workflowId.replace('event/', '');
  await untilState(stage, eventId, 'retrying');
  return { eventId, workflowId };
}

/** Removes an event and its delivery, as the retention does with what is old. */
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

/** Starts an erasure a second time, beside its own workflow, which waits for longer. */
async function startErase({ service }: Stage, uid: string): Promise<string> {
  const workflowId = `erase/again/${uid}`;
  const options = { taskQueue: eventsTaskQueue, workflowId, args: [uid] };
  await service.temporal.client.workflow.start(eraseWorkflow, options);
  return workflowId;
}

/** Asks for an erasure whose second look is due in a while; gives its uid. */
async function eraseAgainIn({ service }: Stage, ms: number): Promise<string> {
  const { body } = await service.call('POST', '/erasures', { body: { mentions: ['nobody'] } });
  const uid = String(body['uid']);
  const { erasures } = service.store;
  await waitFor(
    async () => (await erasures.countDocuments({ _id: uid, againAt: { $ne: null } })) === 1,
  );
  await erasures.updateOne({ _id: uid }, { $set: { againAt: new Date(Date.now() + ms) } });
  return uid;
}

async function startStored({ service }: Stage, eventId: string): Promise<void> {
  const event = await service.store.events.findOne({ _id: eventId });
  if (event !== null) await service.context.dispatcher.start([event]);
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
  'deliver-in-two-activities': async (stage) => {
    const uids = [];
    for (let n = 0; n < 101; n += 1) uids.push(await webhookAt(stage, '/200'));
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
  'release-held': async (stage) => resume(stage, await pausedWith(stage, 2)),
  'release-again': async (stage) => {
    const uid = await pausedWith(stage, 2);
    await resume(stage, uid);
    await stage.service.call('PATCH', `/webhooks/${uid}`, { body: { active: false } });
    return resume(stage, uid);
  },
  'discard-held': async (stage) => discard(stage, await pausedWith(stage, 1)),
  resend: async (stage) => {
    const uid = await webhookAt(stage, '/200');
    const workflowId = await start(stage, [[uid]]);
    const eventId = workflowId.replace('event/', '');
    const answer = await stage.service.call('POST', `/events/${eventId}/resend`, { body: {} });
    return startedRedelivery(stage, { _id: String(answer.body['redeliveryUid']) });
  },
  superseded: async (stage) => {
    const { eventId, workflowId } = await retryLater(stage);
    await stage.service.call('POST', `/events/${eventId}/resend`, { body: {} });
    return workflowId;
  },
  'cancelled-while-retried': async (stage) => cancel(stage, (await retryLater(stage)).workflowId),
  'release-cancelled': async (stage) => {
    const uid = await pausedWith(stage, releasedPerSecondDefault);
    return cancelAsleep(stage, await resume(stage, uid));
  },
  'hand-to-lane': async (stage) => {
    const { eventIds } = await lineUp(stage, '/200', { count: 2 });
    return `event/${eventIds[1]}`;
  },
  'lane-waits-then-delivers': async (stage) => {
    const { eventIds, lane } = await lineUp(stage, '/200', { count: 3 });
    await startStored(stage, eventIds[0] ?? '');
    await untilState(stage, eventIds[2] ?? '', 'delivered');
    return lane;
  },
  'lane-retries': async (stage) => {
    const facts = { count: 3, retryScheduleMs: [second] };
    const { eventIds, lane } = await lineUp(stage, '/500', facts);
    await startStored(stage, eventIds[0] ?? '');
    await untilState(stage, eventIds[2] ?? '', 'exhausted');
    return lane;
  },
  'lane-lets-go': async (stage) => {
    const { eventId, lane } = await retryInLane(stage);
    await stage.service.call('POST', `/events/${eventId}/resend`, { body: {} });
    return lane;
  },
  'lane-cancelled': async (stage) => cancel(stage, (await retryInLane(stage)).lane),
  'tidy-up': async ({ service }) => {
    const workflowId = `tidyUp/${newId('bat')}`;
    const options = { taskQueue: eventsTaskQueue, workflowId, args: [] };
    await service.temporal.client.workflow.start(tidyUpWorkflow, options);
    return workflowId;
  },
  erase: async (stage) => startErase(stage, await eraseAgainIn(stage, second)),
  'erase-cancelled': async (stage) => {
    const uid = await eraseAgainIn(stage, 60 * second);
    return cancelAsleep(stage, await startErase(stage, uid));
  },
};
