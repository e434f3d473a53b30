// A delivery follows its model (test/support/delivery-model.ts): each edge is walked once, then random walks.
// Each step is one attempt, page or batch without Temporal.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import type { AttemptCaller } from '../../../lib/deliveries/decide.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { SendFault } from '../../../lib/egress/send-fault.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import { deleteExpired } from '../../../lib/jobs/retention/retention.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { statusClassOf } from '../../../lib/model/attempt.ts';
import { deliveryStates } from '../../../lib/model/delivery-state.ts';
import type { DeliveryDocument, DeliveryKey } from '../../../lib/model/delivery.ts';
import type { PartitionKey } from '../../../lib/model/partition.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { dayMs } from '../../../lib/platform/duration.ts';
import {
  after,
  type AttemptStep,
  attempts,
  nameOf,
  type Situation,
  starts,
  type Step,
  steps,
} from '../../support/delivery-model.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { giveNumber } from '../../support/issue-number.ts';
import { requestResend } from '../../support/jobs.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { resumeWebhook } from '../../support/resume.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const open = new Disposal();
const { signal } = new AbortController();
let installation: Installation;
let ports: DeliveryPorts;
let receiver: Receiver;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(
    await startReceiver((response, { path }) => response.writeHead(Number(path.slice(1))).end()),
  );
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  // A walk takes months of its clock.
  ports = deliveryPorts(installation, { sender, deactivateAfterMs: 36_500 * dayMs });
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

/** Starts with an event for one webhook, whose delivery is not recorded yet. */
async function begin(situation: Situation): Promise<Course> {
  const { number } = situation;
  const ordering = number === null ? 'parallel' : 'resource';
  const { _id: webhookUid, appUid } = await insertWebhook(installation, {
    url: receiver.url,
    ordering,
  });
  const event = await insertEvent(installation, [webhookUid]);
  const { _id: eventId, entity, resourceUid, createdAt } = event;
  const other = { ...newEvent(installation, [webhookUid], createdAt), entity, resourceUid };
  const earlier = number === 'behind' ? other._id : null;
  if (earlier !== null) await installation.store.events.insertOne(other);
  if (earlier !== null) await giveNumber(installation, other, webhookUid);
  if (number !== null) await giveNumber(installation, event, webhookUid);
  const partition = number === null ? null : { appUid, webhookUid, entity, resourceUid };
  const key = { appUid, eventId, webhookUid };
  return { key, partition, earlier, situation, requests: 0, now: new Date(), path: [] };
}

function read({ key }: Course): Promise<DeliveryDocument | null> {
  return installation.store.deliveries.findOne(key);
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
  await installation.store.webhooks.updateOne({ _id: key.webhookUid }, made);
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
  'earlier event gone': ({ earlier }) =>
    installation.store.events.deleteOne({ _id: earlier ?? '' }),
  paused: ({ key }) =>
    installation.store.webhooks.updateOne({ _id: key.webhookUid }, { $set: { active: false } }),
  resumed: (course) => resumeWebhook(portsAt(course), course.key),
  async 'resumed and discarded'(course) {
    const { key, now } = course;
    const webhook = await installation.store.webhooks.findOne({ _id: key.webhookUid });
    const discardCount = (webhook?.discardCount ?? 0) + 1;
    await resumeWebhook(portsAt(course), key, { discardCount, discardBefore: now });
  },
  async 'webhook deleted'(course) {
    const { key, now } = course;
    const release = newRelease(key, now);
    await installation.store.jobs.insertOne(release);
    await installation.store.webhooks.deleteOne({ _id: key.webhookUid });
    await takeJobPage(portsAt(course), { jobUid: release._id, page: 1 });
  },
  async resent(course) {
    const { appUid, eventId, webhookUid } = course.key;
    const what = { appUid, eventId, webhookUids: [webhookUid] };
    const jobUid = await requestResend(installation.store, what, course.now);
    await takeJobPage(portsAt(course), { jobUid, page: 1 });
  },
  // Other courses go on at the same time, so the delivery becomes older, not the clock later.
  async 'held for too long'({ key }) {
    const updatedAt = new Date(Date.now() - ports.retention.heldMs - 1);
    await installation.store.deliveries.updateOne(key, { $set: { updatedAt } });
    await deleteExpired(ports, { now: new Date() });
  },
};

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

const stepsFrom = (situation: Situation): Step[] =>
  steps.filter((step) => after(situation, step) !== null);

interface Edge {
  name: string;
  step: Step;
  to: Situation;
}

/** Returns the edges from each situation that can be reached. */
function edges(): Map<string, Edge[]> {
  const found = new Map<string, Edge[]>();
  const queue = [...starts];
  for (const at of queue) {
    if (found.has(nameOf(at))) continue;
    const of = stepsFrom(at).map((step) => {
      const to = after(at, step)?.situation ?? at;
      return { name: `${nameOf(at)}: ${step}`, step, to };
    });
    found.set(nameOf(at), of);
    queue.push(...of.map(({ to }) => to));
  }
  return found;
}

/** Returns the shortest way from a situation to an edge that is left, with that edge at its end. */
function wayTo(
  left: ReadonlySet<string>,
  graph: Map<string, Edge[]>,
  from: Situation,
): Edge[] | null {
  const ways = new Map<string, Edge[]>([[nameOf(from), []]]);
  for (const [at, way] of ways) {
    for (const edge of graph.get(at) ?? []) {
      if (left.has(edge.name)) return [...way, edge];
      const to = nameOf(edge.to);
      if (!ways.has(to)) ways.set(to, [...way, edge]);
    }
  }
  return null;
}

const coursesAtOnce = 4;

test('each edge of the model is an edge of the service', async () => {
  const graph = edges();
  const all = [...graph.values()].flat();
  const states = new Set(all.map(({ to }) => to.state));
  expect(states).toEqual(new Set([...deliveryStates, null]));
  const left = new Set(all.map(({ name }) => name));
  const walkAll = async (start: Situation): Promise<void> => {
    let course = await begin(start);
    for (;;) {
      const way = wayTo(left, graph, course.situation);
      // From a settled delivery of a deleted webhook, no way leads back.
      if (way === null && wayTo(left, graph, start) === null) return;
      if (way === null) course = await begin(start);
      for (const { name, step } of way ?? []) {
        left.delete(name);
        await take(course, step);
      }
    }
  };
  await Promise.all(Array.from({ length: coursesAtOnce }, () => starts.map(walkAll)).flat());
  expect([...left]).toEqual([]);
});

const walks = 12;
const stepsOfWalk = 25;

test('random walks of the service follow the model', async () => {
  const seed = Math.floor(Math.random() * 1e9);
  const random = seededRandom(seed);
  const choose = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const walk = async (start: Situation): Promise<void> => {
    const course = await begin(start);
    for (let count = 0; count < stepsOfWalk; count += 1) {
      await take(course, choose(stepsFrom(course.situation)));
    }
  };
  try {
    await Promise.all(Array.from({ length: walks }, () => walk(choose(starts))));
  } catch (error) {
    throw new Error(`a walk of seed ${seed} left the model`, { cause: error });
  }
});
