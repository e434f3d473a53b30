// What may happen to a delivery, a step at a time: one attempt, page or batch each, without Temporal.
import { attemptDelivery } from '../../../lib/delivery/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/delivery/attempt-in-order.ts';
import type { DeliveryPorts } from '../../../lib/delivery/ports.ts';
import { takePage } from '../../../lib/delivery/redeliver-pages.ts';
import { tidyUp } from '../../../lib/delivery/tidy-up.ts';
import { newId } from '../../../lib/ids.ts';
import type { DeliveryDocument, DeliveryKey } from '../../../lib/model/delivery.ts';
import type { LanePlace } from '../../../lib/model/lane.ts';
import type { Retention } from '../../../lib/model/retention.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import type { HttpSender } from '../../../lib/net/http-sender.ts';
import { SendFault } from '../../../lib/net/send-fault.ts';
import { laneOf } from '../../../lib/store/lanes.ts';
import { newDiscard, newRedelivery } from '../../../lib/store/redeliveries.ts';
import type { RedeliverSource } from '../../../lib/temporal/messages.ts';
import { insertEvent, insertWebhook, newEvent } from '../../support/fixtures.ts';
import type { Installation } from '../../support/installation.ts';

/** Where deliveries take their course: what the receiver answers at the moment is a part of it. */
export interface Stage {
  installation: Installation;
  ports: DeliveryPorts;
  receiver: { url: string; status: number };
}

/** A delivery on its way, with a clock of its own. */
export interface Course {
  stage: Stage;
  key: DeliveryKey;
  now: Date;
}

/** Begins with an event that one webhook gets, and of which nothing is recorded yet. */
export async function beginCourse(stage: Stage): Promise<Course> {
  const { installation, receiver } = stage;
  const { appUid } = installation.app;
  const { _id: webhookUid } = await insertWebhook(installation, { url: receiver.url });
  const { _id: eventId } = await insertEvent(installation, [webhookUid]);
  return { stage, key: { appUid, eventId, webhookUid }, now: new Date() };
}

/** Gives the delivery as it is recorded. */
export function readStored({ stage, key }: Course): Promise<DeliveryDocument | null> {
  return stage.installation.store.deliveries.findOne(key);
}

/** Makes the next attempt when it is due, for whoever carries the delivery now. */
export async function attempt(course: Course): Promise<void> {
  const delivery = await readStored(course);
  if (delivery?.lane == null) await attemptAlone(course);
  else await attemptInTurn(course, delivery.lane);
}

/** What an attempt needs, at the time at which the next one is due. */
async function portsWhenDue(course: Course): Promise<DeliveryPorts> {
  const delivery = await readStored(course);
  const dueMs = delivery?.nextAttemptAt?.getTime() ?? 0;
  course.now = new Date(Math.max(course.now.getTime() + 1, dueMs));
  const { now } = course;
  return { ...course.stage.ports, clock: { now: () => now } };
}

/** As the workflow of the event, or of what redelivers it, does it. */
async function attemptAlone(course: Course, fields: Partial<DeliveryPorts> = {}): Promise<void> {
  const ports = { ...(await portsWhenDue(course)), ...fields };
  const redeliveryUid = (await readStored(course))?.redeliveryUid ?? null;
  const { signal } = new AbortController();
  await attemptDelivery(ports, course.key, { redeliveryUid, signal });
}

/** As the workflow of its lane does it, once nothing comes before. */
async function attemptInTurn(course: Course, place: LanePlace): Promise<void> {
  const { appUid, webhookUid } = course.key;
  const ports = await portsWhenDue(course);
  await ports.store.events.deleteMany(earlierEvent(course));
  const { signal } = new AbortController();
  await attemptInOrder(ports, laneOf({ appUid, ...place }, webhookUid), signal);
}

const earlierEvent = ({ key }: Course) => ({ webhookUids: key.webhookUid, sequence: 0 });

async function attemptBehind(course: Course): Promise<void> {
  const { installation } = course.stage;
  const { events, webhooks } = installation.store;
  const { eventId, webhookUid } = course.key;
  await webhooks.updateOne({ _id: webhookUid }, { $set: { ordering: 'resource' } });
  const event = await events.findOne({ _id: eventId });
  if (event === null) throw new Error('the event is gone');
  const { entity, resourceUid, createdAt } = event;
  const earlier = newEvent(installation, [webhookUid], createdAt);
  await events.deleteMany(earlierEvent(course));
  await events.insertOne({ ...earlier, entity, resourceUid, sequence: 0, inOrder: true });
  await attemptAlone(course);
}

async function attemptCrowded(course: Course): Promise<void> {
  const sender: HttpSender = {
    ...course.stage.ports.sender,
    async send() {
      throw new SendFault('NO_TURN', 'too many requests to this receiver are under way');
    },
  };
  await attemptAlone(course, { sender });
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
  const { webhookUid } = course.key;
  const releaseUid = newId('rdl', course.now);
  const resumed = { active: true, releaseUid };
  await course.stage.ports.store.webhooks.updateOne({ _id: webhookUid }, { $set: resumed });
  await page(course, { kind: 'held', webhookUid, releaseUid });
}

function page({ stage, key, now }: Course, source: RedeliverSource): Promise<unknown> {
  const input = { appUid: key.appUid, source, after: '', released: 0 };
  return takePage({ ...stage.ports, clock: { now: () => now } }, input);
}

async function resend(course: Course): Promise<void> {
  const { stage, key, now } = course;
  const { appUid, eventId, webhookUid } = key;
  const asked = newRedelivery(appUid, now);
  await stage.ports.store.redeliveries.insertOne({
    ...asked,
    kind: 'resend',
    eventId,
    webhookUids: [webhookUid],
  });
  await page(course, { kind: 'redelivery', redeliveryUid: asked._id });
}

async function discard(course: Course): Promise<void> {
  const { appUid, webhookUid } = course.key;
  // What is dropped is older than that.
  course.now = new Date(Math.max(course.now.getTime(), Date.now()) + 1);
  const dropping = newDiscard({ appUid, webhookUids: [webhookUid] }, course.now);
  await course.stage.ports.store.redeliveries.insertOne(dropping);
  await page(course, { kind: 'redelivery', redeliveryUid: dropping._id });
}

async function resumeAndDiscard(course: Course): Promise<void> {
  const { webhookUid: _id } = course.key;
  await course.stage.ports.store.webhooks.updateOne({ _id }, { $set: { active: true } });
  await discard(course);
}

async function discardDeleted(course: Course): Promise<void> {
  await course.stage.ports.store.webhooks.deleteOne({ _id: course.key.webhookUid });
  await discard(course);
}

const tidyUpAfter = (waitOf: (retention: Retention) => number) => async (course: Course) => {
  const { ports } = course.stage;
  const fromMs = Math.max(course.now.getTime(), Date.now());
  const now = new Date(fromMs + waitOf(ports.retention) + 1);
  await tidyUp(ports, { now, after: '' });
};

interface Happening {
  /** The words for it in the diagram. */
  cause: string;
  act: (course: Course) => Promise<void>;
}

const attempted = (act: Happening['act']): Happening => ({ cause: 'attempt', act });
const dropped = (act: Happening['act']): Happening => ({
  cause: 'discarded, webhook deleted, or payload erased',
  act,
});

/** What may happen to a delivery, by a name for it. */
export const happenings = {
  'answered 200': attempted(attemptAnswered(200)),
  'answered 410': attempted(attemptAnswered(410)),
  'answered 500': attempted(attemptAnswered(500)),
  'answered 500 at last': attempted(attemptAfter({ retryScheduleMs: [] })),
  'address refused': attempted(attemptAfter({ url: 'http://10.1.2.3/hook' })),
  'webhook paused': attempted(attemptAfter({ active: false })),
  'webhook deleted, then attempted': attempted(attemptDeleted),
  'behind an earlier event': attempted(attemptBehind),
  'no turn at the receiver': attempted(attemptCrowded),
  'webhook deleted': dropped(discardDeleted),
  'resumed and discarded': dropped(resumeAndDiscard),
  resumed: { cause: 'webhook resumed', act: resume },
  'held for too long': {
    cause: 'webhook paused for too long',
    act: tidyUpAfter(({ heldMs }) => heldMs),
  },
  untouched: {
    cause: 'untouched for the whole retention',
    act: tidyUpAfter(({ recordsMs }) => recordsMs),
  },
  resent: { cause: 'resend, replay', act: resend },
} satisfies Record<string, Happening>;
