// A delivery follows its model (test/support/delivery-model.ts): each edge is walked once, then random walks.
// Each step is one attempt, page, batch or call without a worker.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import type { AttemptCaller } from '../../../lib/deliveries/decide.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { SendFault } from '../../../lib/egress/send-fault.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import { newErasure } from '../../../lib/jobs/erasure/erasures.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import { deleteExpired } from '../../../lib/jobs/retention/retention.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { statusClassOf } from '../../../lib/model/attempt.ts';
import { cancelReasons, sendableReasons } from '../../../lib/model/cancel-reason.ts';
import { deliveryStates } from '../../../lib/model/delivery-state.ts';
import type { DeliveryDocument, DeliveryKey } from '../../../lib/model/delivery.ts';
import { seenDiscards } from '../../../lib/model/discards.ts';
import type { PartitionKey } from '../../../lib/model/partition.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { dayMs, minuteMs } from '../../../lib/platform/duration.ts';
import { timeOfId } from '../../../lib/platform/ids.ts';
import {
  after,
  type AttemptStep,
  attempts,
  isSendable,
  isSettled,
  type Situation,
  starts,
  type Step,
} from '../../support/delivery-model.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { giveNumber } from '../../support/issue-number.ts';
import { requestReplay, requestResend, takeAllPages } from '../../support/jobs.ts';
import { modelGraph, nameOf, wayTo } from '../../support/model-graph.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { resumeWebhook } from '../../support/resume.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { startService, type TestService } from '../../support/service.ts';

const open = new Disposal();
const { signal } = new AbortController();
let service: TestService;
let ports: DeliveryPorts;
let receiver: Receiver;

beforeAll(async () => {
  service = open.use(await startService({ worker: false }));
  receiver = open.use(
    await startReceiver((response, { path }) => response.writeHead(Number(path.slice(1))).end()),
  );
  const sender = open.use(createHttpSender({ policy: service.config.egress }));
  // A walk takes months of its clock.
  ports = deliveryPorts(service, { sender, deactivateAfterMs: 36_500 * dayMs });
  createdMs = Date.now() - ports.retention.recordsMs - dayMs;
});

afterAll(() => open[Symbol.asyncDispose]());

/** A delivery with its own clock. */
interface Course {
  key: DeliveryKey;
  partition: PartitionKey | null;
  earlier: string | null;
  situation: Situation;
  requests: number;
  now: Date;
  path: Step[];
}

let createdMs = 0;

/** Starts with an event for one webhook, whose delivery is not recorded yet. */
async function begin(situation: Situation): Promise<Course> {
  const { number } = situation;
  const ordering = number === null ? 'parallel' : 'resource';
  const { _id: webhookUid, appUid } = await insertWebhook(service, {
    url: receiver.url,
    ordering,
  });
  // Older than the retention, in a millisecond and of a tenant of its own.
  const createdAt = new Date((createdMs += 1));
  const made = newEvent(service, [webhookUid], createdAt);
  const event = { ...made, externalTenantId: made._id };
  await service.store.events.insertOne(event);
  const { _id: eventId, entity, resourceUid } = event;
  const other = { ...newEvent(service, [webhookUid], createdAt), entity, resourceUid };
  const earlier = number === 'behind' ? other._id : null;
  if (earlier !== null) await service.store.events.insertOne(other);
  if (earlier !== null) await giveNumber(service, other, webhookUid);
  if (number !== null) await giveNumber(service, event, webhookUid);
  const partition = number === null ? null : { appUid, webhookUid, entity, resourceUid };
  const key = { appUid, eventId, webhookUid };
  return { key, partition, earlier, situation, requests: 0, now: new Date(), path: [] };
}

function read({ key }: Course): Promise<DeliveryDocument | null> {
  return service.store.deliveries.findOne(key);
}

const portsAt = ({ now }: Course): DeliveryPorts => ({ ...ports, clock: { now: () => now } });

const refusedUrl = 'http://10.1.2.3/hook';
const throttling: Sender['send'] = async () => {
  throw new SendFault('THROTTLED', 'too many requests to this receiver are in flight');
};

/** Makes the next attempt when it is due, for the owner of the delivery. */
async function attempt(course: Course, step: AttemptStep): Promise<void> {
  const { key, partition, situation } = course;
  const delivery = await read(course);
  const dueMs = delivery?.nextAttemptAt?.getTime() ?? 0;
  course.now = new Date(Math.max(course.now.getTime() + 1, dueMs));
  const status = /\d+/.exec(step)?.[0] ?? '500';
  const url = step === 'address refused' ? refusedUrl : `${receiver.url}/${status}`;
  const retryScheduleMs = step.endsWith('end of the schedule') ? [] : null;
  const made = { $set: { url, retryScheduleMs } };
  await service.store.webhooks.updateOne({ _id: key.webhookUid }, made);
  const sender = step === 'throttled' ? { ...ports.sender, send: throttling } : ports.sender;
  const portsOfStep = { ...portsAt(course), sender };
  if (situation.owner === 'partition' && partition !== null) {
    await attemptInOrder(portsOfStep, partition, { signal });
    return;
  }
  const jobUid = delivery?.jobUid ?? '';
  await ask(
    portsOfStep,
    key,
    situation.owner === 'job' ? { kind: 'job', jobUid } : { kind: 'event' },
  );
}

const ask = (made: DeliveryPorts, key: DeliveryKey, caller: AttemptCaller) =>
  attemptDelivery(made, key, { caller, signal });

const others: Record<Exclude<Step, AttemptStep>, (course: Course) => Promise<unknown>> = {
  async 'called by another than the owner'(course) {
    const { key, situation } = course;
    if (situation.owner !== 'event') await ask(portsAt(course), key, { kind: 'event' });
    if (situation.state === null) return;
    await ask(portsAt(course), key, { kind: 'job', jobUid: 'job_another' });
  },
  'earlier event gone': ({ earlier }) => service.store.events.deleteOne({ _id: earlier ?? '' }),
  paused: ({ key }) =>
    service.store.webhooks.updateOne({ _id: key.webhookUid }, { $set: { active: false } }),
  resumed: (course) => resumeWebhook(portsAt(course), course.key),
  async 'resumed and discarded'(course) {
    const { key, now } = course;
    const webhook = await service.store.webhooks.findOne({ _id: key.webhookUid });
    const discardCount = (webhook?.discardCount ?? 0) + 1;
    await resumeWebhook(portsAt(course), key, { discardCount, discardBefore: now });
  },
  async 'webhook deleted'(course) {
    const { key, now } = course;
    const release = newRelease(key, now);
    await service.store.jobs.insertOne(release);
    await service.store.webhooks.deleteOne({ _id: key.webhookUid });
    await takeJobPage(portsAt(course), { jobUid: release._id, page: 1 });
  },
  async resent(course) {
    const { appUid, eventId, webhookUid } = course.key;
    if (course.situation.isErased) {
      const body = { webhookUids: [webhookUid] };
      expect((await service.call('POST', `/events/${eventId}/resend`, { body })).status).toBe(409);
    }
    const what = { appUid, eventId, webhookUids: [webhookUid] };
    const jobUid = await requestResend(service.store, what, course.now);
    await takeJobPage(portsAt(course), { jobUid, page: 1 });
  },
  async replayed(course) {
    const { appUid, eventId, webhookUid } = course.key;
    // A replay leaves what was pending for less than a minute.
    course.now = new Date(course.now.getTime() + 2 * minuteMs);
    const found = await service.store.webhooks.find({ _id: webhookUid }).toArray();
    const period = { since: timeOfId(eventId), until: new Date(), createdAt: course.now };
    const chosen = { states: [...deliveryStates], cancelReasons: [...sendableReasons] };
    const fields = { appUid, webhookUid, seenDiscards: seenDiscards(found), ...period, ...chosen };
    await takeAllPages(portsAt(course), await requestReplay(service.store, fields));
  },
  async skipped({ key: { eventId, webhookUid }, situation }) {
    const path = `/events/${eventId}/deliveries/${webhookUid}/cancel`;
    const { status } = await service.call('POST', path);
    const isRefused = isSettled(situation) && situation.cancelReason !== 'skipped';
    expect(status).toBe(isRefused ? 409 : 200);
  },
  async erased(course) {
    const { appUid, eventId } = course.key;
    const erasure = newErasure(appUid, { externalTenantId: eventId }, course.now);
    // Begins right before this event.
    await service.store.jobs.insertOne({ ...erasure, cursor: eventId.slice(0, -1) });
    await takeJobPage(portsAt(course), { jobUid: erasure._id, page: 1 });
  },
  'held for too long': ({ key }) => leaveFor(key, ports.retention.heldMs),
  'untouched for the whole retention': ({ key }) => leaveFor(key, ports.retention.recordsMs),
};

// Other courses go on at the same time, so the clock stays before their steps.
async function leaveFor(key: DeliveryKey, ms: number): Promise<void> {
  const updatedAt = timeOfId(key.eventId);
  await service.store.deliveries.updateOne(key, { $set: { updatedAt } });
  const now = new Date(updatedAt.getTime() + ms + 1);
  // Begins at this event, and after all webhooks.
  await deleteExpired(ports, { now, cursor: `${key.eventId}/0/~/` });
}

const isAttempt = (step: Step): step is AttemptStep => step in attempts;

/** Takes a step of the service and of the model, and compares them. */
async function take(course: Course, step: Step): Promise<void> {
  const expected = after(course.situation, step);
  if (expected === null) throw new Error(`${step} cannot happen at ${nameOf(course.situation)}`);
  course.path.push(step);
  if (isAttempt(step)) await attempt(course, step);
  else await others[step](course);
  course.situation = expected.situation;
  course.requests += expected.requests;
  const delivery = await read(course);
  const { state, cancelReason } = expected.situation;
  const sent = receiver.requests.filter(({ headers }) => {
    return headers['webhook-id'] === course.key.eventId;
  });
  const last = delivery?.attempts.findLast(({ n }) => n > delivery.scheduleFrom);
  expect({
    path: course.path,
    state: delivery?.state ?? null,
    cancelReason: delivery?.cancelReason ?? null,
    isDueLater: delivery?.nextAttemptAt instanceof Date,
    errorClass: delivery?.errorClass ?? null,
    statusClass: delivery?.statusClass ?? null,
    requests: sent.length,
  }).toEqual({
    path: course.path,
    state,
    cancelReason,
    isDueLater: state === 'retrying',
    errorClass: last?.errorClass ?? null,
    statusClass: last === undefined ? null : statusClassOf(last.status),
    requests: course.requests,
  });
}

const graph = modelGraph();
const coursesAtOnce = 4;

test('each edge of the model is an edge of the service', async () => {
  const all = [...graph.values()].flat();
  expect(new Set(all.map(({ to }) => to.state))).toEqual(new Set([...deliveryStates, null]));
  const reached = new Set(all.map(({ to }) => to.cancelReason));
  // Settings of webhooks are apart, in test/unit/deliveries/decide.test.ts.
  expect(cancelReasons.filter((reason) => !reached.has(reason))).toEqual(['unsubscribed']);
  const left = new Set(all.map(({ name }) => name));
  const walkAll = async (start: Situation): Promise<void> => {
    let course = await begin(start);
    for (;;) {
      const way = wayTo(left, graph, course.situation);
      // From a settled delivery that is never sent again, no way leads back.
      if (way === null && wayTo(left, graph, start) === null) return;
      if (way === null) course = await begin(start);
      // No other course walks to the same edge.
      for (const { name } of way ?? []) left.delete(name);
      for (const { step } of way ?? []) await take(course, step);
    }
  };
  await Promise.all(Array.from({ length: coursesAtOnce }, () => starts.map(walkAll)).flat());
  expect([...left]).toEqual([]);
});

const isOver = (at: Situation): boolean => isSettled(at) && !isSendable(at);
const walks = 12;
const stepsOfWalk = 25;

test('random walks of the service follow the model', async () => {
  const firstSeed = Math.floor(Math.random() * 1e9);
  const walk = async (seed: number): Promise<void> => {
    const random = seededRandom(seed);
    const choose = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    let course = await begin(choose(starts));
    for (let count = 0; count < stepsOfWalk; count += 1) {
      if (isOver(course.situation)) course = await begin(choose(starts));
      const { step } = choose(graph.get(nameOf(course.situation)) ?? []);
      await take(course, step).catch((error: unknown) => {
        throw new Error(`the walk of seed ${seed} left the model`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: walks }, (_, index) => walk(firstSeed + index)));
});
