// Every change of a delivery's state (docs/ARCHITECTURE.md, "States of a delivery"), exercised once.
// Each step is one attempt, page or batch without Temporal.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import type { AttemptCaller } from '../../../lib/deliveries/decide.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { deleteExpired } from '../../../lib/jobs/retention/retention.ts';
import type { DeliveryDocument, DeliveryKey } from '../../../lib/model/delivery.ts';
import { type PartitionKey, partitionNumberOf } from '../../../lib/model/partition.ts';
import type { Retention } from '../../../lib/model/retention.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import { SendFault } from '../../../lib/egress/send-fault.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import { insertEvent, insertWebhook, newEvent } from '../../support/fixtures.ts';
import { giveNumber } from '../../support/issue-number.ts';
import { type Installation, createInstallation } from '../../support/installation.ts';
import { requestResend } from '../../support/jobs.ts';
import { resumeWebhook } from '../../support/resume.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { statusClassOf } from '../../../lib/model/attempt.ts';
import { type DeliveryState, deliveryStates } from '../../../lib/model/delivery-state.ts';
import { type CancelReason } from '../../../lib/model/cancel-reason.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';

/** The servers of a delivery, with the status that the receiver returns. */
interface Stage {
  installation: Installation;
  ports: DeliveryPorts;
  receiver: { url: string; status: number };
}

/** A delivery with its own clock. */
interface Course {
  stage: Stage;
  key: DeliveryKey;
  now: Date;
}

/** Starts with an event for one webhook, whose delivery is not recorded yet. */
async function beginCourse(stage: Stage): Promise<Course> {
  const { installation, receiver } = stage;
  const { appUid } = installation.app;
  const { _id: webhookUid } = await insertWebhook(installation, { url: receiver.url });
  const { _id: eventId } = await insertEvent(installation, [webhookUid]);
  return { stage, key: { appUid, eventId, webhookUid }, now: new Date() };
}

/** Returns the recorded delivery. */
function readStored({ stage, key }: Course): Promise<DeliveryDocument | null> {
  return stage.installation.store.deliveries.findOne(key);
}

/** Makes the next attempt when it is due, for the current owner of the delivery. */
async function attempt(course: Course, fields: Partial<DeliveryPorts> = {}): Promise<void> {
  const { stage, key } = course;
  const delivery = await readStored(course);
  const dueMs = delivery?.nextAttemptAt?.getTime() ?? 0;
  course.now = new Date(Math.max(course.now.getTime() + 1, dueMs));
  const ports = { ...portsAt(course), ...fields };
  const { signal } = new AbortController();
  const jobUid = delivery?.jobUid ?? null;
  const event = await stage.ports.store.events.findOne({ _id: key.eventId });
  const partitionNumber = event === null ? null : partitionNumberOf(event, key.webhookUid);
  if (partitionNumber !== null && jobUid === null) {
    // No earlier event may be open.
    await stage.ports.store.events.deleteMany(earlierIn(partitionNumber.partition));
    await attemptInOrder(ports, partitionNumber.partition, { signal });
    return;
  }
  const caller: AttemptCaller = jobUid === null ? { kind: 'event' } : { kind: 'job', jobUid };
  await attemptDelivery(ports, key, { caller, signal });
}

function portsAt({ stage, now }: Course): DeliveryPorts {
  return { ...stage.ports, clock: { now: () => now } };
}

const earlierIn = ({ entity, resourceUid }: PartitionKey) => ({ entity, resourceUid, sequence: 0 });

/** Makes the first attempt of an event that waits for another event of the same resource. */
async function attemptBehind(course: Course): Promise<void> {
  const { stage, key } = course;
  const { store } = stage.installation;
  const { eventId, webhookUid } = key;
  const event = await store.events.findOne({ _id: eventId });
  if (event === null) throw new Error('the event is gone');
  if (event.order.length === 0) {
    const { entity, resourceUid, createdAt } = event;
    const other = newEvent(stage.installation, [webhookUid], createdAt);
    const earlier = { ...other, entity, resourceUid, sequence: 0 };
    await store.events.insertOne(earlier);
    await store.webhooks.updateOne({ _id: webhookUid }, { $set: { ordering: 'resource' } });
    for (const each of [earlier, event]) await giveNumber(stage.installation, each, webhookUid);
  }
  const { signal } = new AbortController();
  await attemptDelivery(portsAt(course), key, { caller: { kind: 'event' }, signal });
}

async function attemptThrottled(course: Course): Promise<void> {
  const sender: Sender = {
    ...course.stage.ports.sender,
    async send() {
      throw new SendFault('THROTTLED', 'too many requests to this receiver are under way');
    },
  };
  await attempt(course, { sender });
}

const attemptAnswered = (code: number) => (course: Course) => {
  course.stage.receiver.status = code;
  return attempt(course);
};

const attemptAfter = (fields: Partial<WebhookDocument>) => async (course: Course) => {
  const { stage, key } = course;
  stage.receiver.status = 500;
  await stage.ports.store.webhooks.updateOne({ _id: key.webhookUid }, { $set: fields });
  await attempt(course);
};

async function attemptDeleted(course: Course): Promise<void> {
  await course.stage.ports.store.webhooks.deleteOne({ _id: course.key.webhookUid });
  await attempt(course);
}

async function resume(course: Course): Promise<void> {
  await resumeWebhook(portsAt(course), course.key);
}

async function resend(course: Course): Promise<void> {
  const { key, now } = course;
  const { appUid, eventId, webhookUid } = key;
  const ports = portsAt(course);
  const what = { appUid, eventId, webhookUids: [webhookUid] };
  const jobUid = await requestResend(ports.store, what, now);
  await takeJobPage(ports, { jobUid, page: 1 });
}

async function resumeAndDiscard(course: Course): Promise<void> {
  const discard = { discardCount: 1, discardBefore: course.now };
  await resumeWebhook(portsAt(course), course.key, discard);
}

async function deleteWebhook(course: Course): Promise<void> {
  const { key, now } = course;
  const ports = portsAt(course);
  const release = newRelease(key, now);
  await ports.store.jobs.insertOne(release);
  await ports.store.webhooks.deleteOne({ _id: key.webhookUid });
  await takeJobPage(ports, { jobUid: release._id, page: 1 });
}

const expireAfter = (waitOf: (retention: Retention) => number) => async (course: Course) => {
  const { ports } = course.stage;
  const fromMs = Math.max(course.now.getTime(), Date.now());
  const now = new Date(fromMs + waitOf(ports.retention) + 1);
  await deleteExpired(ports, { now });
};

/** The steps by name. */
const steps = {
  'answered 200': attemptAnswered(200),
  'answered 410': attemptAnswered(410),
  'answered 500': attemptAnswered(500),
  'answered 500 to the last attempt': attemptAfter({ retryScheduleMs: [] }),
  'address refused': attemptAfter({ url: 'http://10.1.2.3/hook' }),
  'webhook paused': attemptAfter({ active: false }),
  'webhook deleted, then attempted': attemptDeleted,
  'behind an earlier event': attemptBehind,
  throttled: attemptThrottled,
  'webhook deleted': deleteWebhook,
  'resumed and discarded': resumeAndDiscard,
  resumed: resume,
  'held for too long': expireAfter(({ heldMs }) => heldMs),
  'open for too long': expireAfter(({ recordsMs }) => recordsMs),
  resent: resend,
} satisfies Record<string, (course: Course) => Promise<void>>;

const open = new Disposal();
let receiver: Receiver;
let stage: Stage;

beforeAll(async () => {
  const installation = open.use(await createInstallation());
  receiver = open.use(
    await startReceiver((response) => response.writeHead(stage.receiver.status).end()),
  );
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  const ports = deliveryPorts(installation, { sender });
  stage = { installation, ports, receiver: { url: receiver.url, status: 200 } };
});

afterAll(() => open[Symbol.asyncDispose]());

type Step = readonly [keyof typeof steps, DeliveryState];

const walks: (readonly Step[])[] = [
  [
    ['answered 200', 'delivered'],
    ['resent', 'pending'],
    ['answered 500', 'retrying'],
    ['answered 200', 'delivered'],
  ],
  [
    ['answered 500', 'retrying'],
    ['answered 500', 'retrying'],
    ['answered 500 to the last attempt', 'exhausted'],
  ],
  [
    ['answered 500', 'retrying'],
    ['answered 410', 'exhausted'],
  ],
  [
    ['answered 500', 'retrying'],
    ['address refused', 'blocked'],
  ],
  [
    ['answered 500', 'retrying'],
    ['webhook deleted, then attempted', 'cancelled'],
  ],
  [
    ['answered 500', 'retrying'],
    ['resumed and discarded', 'cancelled'],
  ],
  [
    ['answered 500', 'retrying'],
    ['webhook paused', 'held'],
    ['resumed', 'pending'],
    ['answered 500', 'retrying'],
    ['resent', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['webhook paused', 'held'],
    ['resumed', 'pending'],
    ['webhook paused', 'held'],
    ['resumed', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['webhook paused', 'held'],
    ['resumed and discarded', 'cancelled'],
    ['resent', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['webhook paused', 'held'],
    ['webhook deleted', 'cancelled'],
  ],
  [
    ['webhook paused', 'held'],
    ['held for too long', 'cancelled'],
  ],
  [['webhook deleted, then attempted', 'cancelled']],
  [
    ['throttled', 'pending'],
    ['throttled', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['answered 500', 'retrying'],
    ['throttled', 'retrying'],
    ['open for too long', 'cancelled'],
  ],
  [
    ['behind an earlier event', 'pending'],
    ['behind an earlier event', 'pending'],
    ['throttled', 'pending'],
    ['answered 500', 'retrying'],
    ['answered 200', 'delivered'],
  ],
  [
    ['behind an earlier event', 'pending'],
    ['answered 410', 'exhausted'],
  ],
  [
    ['behind an earlier event', 'pending'],
    ['answered 500', 'retrying'],
    ['webhook paused', 'held'],
    ['resumed', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['behind an earlier event', 'pending'],
    ['resumed and discarded', 'cancelled'],
    ['resent', 'pending'],
    ['answered 200', 'delivered'],
  ],
];

const reasons: Partial<Record<keyof typeof steps, CancelReason>> = {
  'webhook deleted, then attempted': 'webhook_deleted',
  'webhook deleted': 'webhook_deleted',
  'resumed and discarded': 'discarded',
  'held for too long': 'expired',
  'open for too long': 'abandoned',
};

const settled: ReadonlySet<string> = new Set(['delivered', 'exhausted', 'blocked', 'cancelled']);
const titleOf = (walk: readonly Step[]): string =>
  walk.map(([name, state]) => `${name}: ${state}`).join('; ');

test.each(walks.map((walk) => ({ title: titleOf(walk), walk })))('$title', async ({ walk }) => {
  const course = await beginCourse(stage);
  const { eventId } = course.key;
  const expectAt = async ([name, state]: Step): Promise<void> => {
    const delivery = await readStored(course);
    expect(delivery?.state).toBe(state);
    expect(delivery?.cancelReason).toBe(state === 'cancelled' ? reasons[name] : null);
    expect(delivery?.nextAttemptAt instanceof Date).toBe(state === 'retrying');
    const last = delivery?.attempts.findLast(({ n }) => n > delivery.scheduleFrom);
    expect(delivery?.errorClass).toBe(last?.errorClass ?? null);
    expect(delivery?.statusClass).toBe(last === undefined ? null : statusClassOf(last.status));
    expect(delivery?.statusClass === '2xx').toBe(state === 'delivered');
    // The receiver got exactly the requests that the document records.
    const sent = receiver.requests.filter(({ headers }) => headers['webhook-id'] === eventId);
    expect(delivery?.attempts.filter((made) => made.status !== null)).toHaveLength(sent.length);
  };
  for (const step of walk) {
    const [name, state] = step;
    await steps[name](course);
    await expectAt(step);
    if (!settled.has(state)) continue;
    // Another attempt at a settled delivery changes nothing.
    stage.receiver.status = 200;
    await attempt(course);
    await expectAt(step);
  }
});

test('the walks reach every state', () => {
  const reached = walks.flatMap((walk) => walk.map(([, state]) => state));
  expect([...new Set(reached)].toSorted()).toEqual(deliveryStates.toSorted());
});
