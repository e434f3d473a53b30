// Every arrow of "States of a delivery" (docs/ARCHITECTURE.md), walked once by what the code does.
//
// Here each step is one attempt, page or batch without Temporal. The same arrows through workflows and API:
//   first attempt → delivered, retrying, blocked, exhausted    outcomes.test.ts, deactivation.test.ts
//   first attempt → pending                                    crowded-receiver.test.ts
//   retrying → delivered, exhausted, held, cancelled           retry-calendar.test.ts, deactivation.test.ts
//   held → pending, held, retrying → cancelled by a resume     test/e2e/pause-resume.test.ts
//   held → cancelled by time                                   test/integration/worker/tidy-up.test.ts
//   any → pending by a resend or replay                        test/e2e/redelivery.test.ts
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { attemptDelivery } from '../../../lib/delivery/attempt-delivery.ts';
import type { DeliveryPorts } from '../../../lib/delivery/ports.ts';
import type { DeliveryState } from '../../../lib/delivery/outcome.ts';
import { takePage } from '../../../lib/delivery/redeliver-pages.ts';
import { tidyUp } from '../../../lib/delivery/tidy-up.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { newId } from '../../../lib/ids.ts';
import { createHttpSender } from '../../../lib/net/http-sender.ts';
import type { DeliveryDocument, DeliveryKey } from '../../../lib/store/deliveries.ts';
import { newDiscard, newRedelivery } from '../../../lib/store/redeliveries.ts';
import type { WebhookDocument } from '../../../lib/store/webhooks.ts';
import type { RedeliverSource } from '../../../lib/temporal/messages.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';
import { startReceiver } from '../../support/receivers.ts';
import type { Receiver } from '../../support/receivers.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let status = 200;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.writeHead(status).end()));
  const policy = installation.config.egress;
  ports = deliveryPorts(installation, { sender: open.use(createHttpSender({ policy })) });
});

afterAll(() => open[Symbol.asyncDispose]());

/** A delivery on its way, with a clock of its own. */
interface Course {
  key: DeliveryKey;
  now: Date;
}

const stored = ({ key }: Course): Promise<DeliveryDocument | null> =>
  installation.store.deliveries.findOne(key);

/** Makes the next attempt when it is due, for whoever carries the delivery now. */
async function attempt(course: Course): Promise<void> {
  const delivery = await stored(course);
  const dueMs = delivery?.nextAttemptAt?.getTime() ?? 0;
  course.now = new Date(Math.max(course.now.getTime() + 1, dueMs));
  await attemptDelivery({ ...ports, clock: { now: () => course.now } }, course.key, {
    redeliveryUid: delivery?.redeliveryUid ?? null,
    signal: new AbortController().signal,
  });
}

const attemptAnswered = (code: number) => (course: Course) => {
  status = code;
  return attempt(course);
};

const attemptAfter = (fields: Partial<WebhookDocument>) => async (course: Course) => {
  status = 500;
  const { webhookUid: _id } = course.key;
  await installation.store.webhooks.updateOne({ _id }, { $set: fields });
  await attempt(course);
};

async function resume(course: Course): Promise<void> {
  const { webhookUid } = course.key;
  const releaseUid = newId('rdl', course.now);
  const resumed = { active: true, releaseUid };
  await installation.store.webhooks.updateOne({ _id: webhookUid }, { $set: resumed });
  await page(course, { kind: 'held', webhookUid, releaseUid });
}

function page({ key, now }: Course, source: RedeliverSource): Promise<unknown> {
  const input = { appUid: key.appUid, source, after: '', released: 0 };
  return takePage({ ...ports, clock: { now: () => now } }, input);
}

async function resend(course: Course): Promise<void> {
  const { key, now } = course;
  const { appUid, eventId, webhookUid } = key;
  const asked = newRedelivery(appUid, now);
  await installation.store.redeliveries.insertOne({
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
  await installation.store.redeliveries.insertOne(dropping);
  await page(course, { kind: 'redelivery', redeliveryUid: dropping._id });
}

async function resumeAndDiscard(course: Course): Promise<void> {
  const { webhookUid: _id } = course.key;
  await installation.store.webhooks.updateOne({ _id }, { $set: { active: true } });
  await discard(course);
}

async function discardDeleted(course: Course): Promise<void> {
  await installation.store.webhooks.deleteOne({ _id: course.key.webhookUid });
  await discard(course);
}

async function attemptDeleted(course: Course): Promise<void> {
  await installation.store.webhooks.deleteOne({ _id: course.key.webhookUid });
  await attempt(course);
}

async function expire(course: Course): Promise<void> {
  const { retention } = ports;
  const now = new Date(course.now.getTime() + retention.heldMs + 1);
  await tidyUp(ports, { now, after: '' });
}

const fails = attemptAnswered(500);
const isPaused = attemptAfter({ active: false });
const failsLast = attemptAfter({ retryScheduleMs: [] });
const isRefused = attemptAfter({ url: 'http://10.1.2.3/hook' });

const actions = {
  'answered 200': attemptAnswered(200),
  'answered 410': attemptAnswered(410),
  'answered 500': fails,
  'answered 500 at last': failsLast,
  'address refused': isRefused,
  'webhook paused': isPaused,
  'webhook deleted, then attempted': attemptDeleted,
  'webhook deleted': discardDeleted,
  resumed: resume,
  'resumed and discarded': resumeAndDiscard,
  'held for too long': expire,
  resent: resend,
} satisfies Record<string, (course: Course) => Promise<void>>;

type Step = readonly [keyof typeof actions, DeliveryState];

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
    ['answered 500 at last', 'exhausted'],
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
    ['webhook deleted', 'cancelled'],
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
    ['resumed', 'retrying'],
    ['resent', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [['answered 410', 'exhausted']],
  [
    ['answered 500 at last', 'exhausted'],
    ['resent', 'pending'],
    ['answered 500 at last', 'exhausted'],
  ],
  [
    ['address refused', 'blocked'],
    ['resent', 'pending'],
    ['address refused', 'blocked'],
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
    ['resumed', 'pending'],
    ['webhook deleted, then attempted', 'cancelled'],
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
  [
    ['webhook paused', 'held'],
    ['resent', 'pending'],
    ['webhook paused', 'held'],
  ],
  [['webhook deleted, then attempted', 'cancelled']],
  [
    ['resent', 'pending'],
    ['webhook deleted', 'cancelled'],
  ],
];

const settled: ReadonlySet<string> = new Set(['delivered', 'exhausted', 'blocked', 'cancelled']);
const toldAs = (walk: readonly Step[]): string =>
  walk.map(([action, state]) => `${action}: ${state}`).join('; ');

test.each(walks.map((walk) => ({ told: toldAs(walk), walk })))('$told', async ({ walk }) => {
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const event = await insertEvent(installation, [webhook._id]);
  const { appUid } = installation.app;
  const course = { key: { appUid, eventId: event._id, webhookUid: webhook._id }, now: new Date() };
  const expectAt = async (state: DeliveryState): Promise<void> => {
    const delivery = await stored(course);
    expect(delivery?.state).toBe(state);
    expect(delivery?.nextAttemptAt instanceof Date).toBe(state === 'retrying');
    // What the document tells was sent is what the receiver got, neither more nor less.
    const sent = receiver.requests.filter(({ headers }) => headers['webhook-id'] === event._id);
    expect(delivery?.attempts.filter((made) => made.status !== null)).toHaveLength(sent.length);
  };
  for (const [action, state] of walk) {
    await actions[action](course);
    await expectAt(state);
    if (!settled.has(state)) continue;
    // Whoever still carries a settled delivery leaves it as it is.
    status = 200;
    await attempt(course);
    await expectAt(state);
  }
});

test('these walks take every arrow of the diagram and no other', () => {
  const ends = ['delivered', 'retrying', 'exhausted', 'blocked', 'held', 'cancelled'];
  const attempted = ['none', 'pending', 'retrying'];
  const diagram = [
    ...attempted.flatMap((from) => ends.map((to) => `${from} → ${to}`)),
    ...['none', ...ends].map((from) => `${from} → pending`),
    'held → cancelled',
  ];
  const walked = walks.flatMap((walk) =>
    walk.map(([, to], index) => `${walk[index - 1]?.[1] ?? 'none'} → ${to}`),
  );
  expect([...new Set(walked)].toSorted()).toEqual(diagram.toSorted());
});
