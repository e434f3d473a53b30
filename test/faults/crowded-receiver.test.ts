// A receiver that is slower than its events: throttled deliveries wait in Temporal, without a permit.
import { ApplicationFailureCategory } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { attemptFirst } from '../../activities/attempt-first.ts';
import { retryDelivery } from '../../activities/retry-delivery.ts';
import type { DeliveryPorts } from '../../lib/deliveries/ports.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import type { LaterOutcome } from '../../lib/model/delivery-outcome.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { createHttpSender } from '../../lib/egress/http-sender.ts';
import type { Sender } from '../../lib/egress/sender.ts';
import { SendFault } from '../../lib/egress/send-fault.ts';
import { countHeld } from '../../lib/history/held-counts.ts';
import { SharedLimit } from '../../lib/concurrency/shared-limit.ts';
import { attemptLimits } from '../../lib/limits.ts';
import { deliveryPorts } from '../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../support/fixtures.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { resumeWebhook } from '../support/resume.ts';

const permitsPerWebhook = 32;
const deliveryCount = 100;

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let hangs = true;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  receiver = open.use(
    await startReceiver((response) => {
      if (!hangs) response.writeHead(200).end();
    }),
  );
  ports = deliveryPorts(installation, { sender });
});

beforeEach(() => {
  hangs = true;
});

afterAll(() => open[Symbol.asyncDispose]());

async function insertEvents(webhook: WebhookDocument, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => insertEvent(installation, [webhook._id]));
  return (await Promise.all(events)).map((event) => event._id);
}

const inActivity = <T>(run: () => Promise<T>): Promise<T> => new MockActivityEnvironment().run(run);

test('throttled first attempts are left pending for the retries, and none counts as a fault', async () => {
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { appUid, _id: webhookUid } = webhook;
  const eventIds = await insertEvents(webhook, deliveryCount);
  const deliveries = eventIds.map((eventId) => ({ appUid, eventId, webhookUid }));
  const first = () => attemptFirst(ports, { deliveries }, null);
  const { settled, later: outcomes } = await inActivity(first);

  expect(settled.deliveries).toBe(0);
  const [leftOut, tried] = [outcomes.filter(isLeftOut), outcomes.filter((one) => !isLeftOut(one))];
  expect(tried.length).toBeGreaterThanOrEqual(permitsPerWebhook);
  expect(leftOut.length).toBeGreaterThan(1);
  const { store } = installation;
  const pending = await store.deliveries.find({ webhookUid, state: 'pending' }).toArray();
  expect(new Set(pending.map(({ eventId }) => eventId))).toEqual(new Set(leftOut.map(eventIdOf)));
  expect(await countHeld(store, { ...webhook, active: false })).toBe(eventIds.length);

  hangs = false;
  const [eventId = '', droppedId = ''] = leftOut.map(eventIdOf);
  const input = { appUid, eventId, webhookUid };
  const outcome = await inActivity(() => retryDelivery(ports, input));
  expect(outcome).toMatchObject({ state: 'delivered', attemptCount: 1 });
  const delivery = await store.deliveries.findOne(input);
  expect(delivery?.attempts).toMatchObject([{ n: 1, trigger: 'event' }]);

  const discardBefore = new Date(Date.now() + 1);
  const discard = { discardCount: 1, discardBefore };
  const { page } = await resumeWebhook(ports, { appUid, webhookUid }, discard);
  expect(page.events).toEqual([]);
  const dropped = await inActivity(() => retryDelivery(ports, { ...input, eventId: droppedId }));
  expect(dropped).toMatchObject({ state: 'cancelled', attemptCount: 0 });
  const sentIds = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect(sentIds).toContain(eventId);
  expect(sentIds).not.toContain(droppedId);
});

const eventIdOf = ({ eventId }: LaterOutcome): string => eventId;

function isLeftOut({ attemptCount, why }: LaterOutcome): boolean {
  return attemptCount === 0 && why === 'throttled';
}

/** A sender that throttles every request. */
function throttling(): Sender {
  return {
    ...ports.sender,
    async send() {
      throw new SendFault('THROTTLED', 'too many requests to this receiver are under way');
    },
  };
}

test('first attempts beyond the limit of a process are left to the retries, and finished ones make room', async () => {
  hangs = false;
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { appUid, _id: webhookUid } = webhook;
  // This allows three for one application.
  const firstAttemptLimit = new SharedLimit(4);
  const few = { ...ports, firstAttemptLimit };
  const eventIds = await insertEvents(webhook, 5);
  const deliveries = eventIds.map((eventId) => ({ appUid, eventId, webhookUid }));
  const first = () => attemptFirst(few, { deliveries }, null);
  const { settled, later } = await inActivity(first);
  expect(settled.delivered).toBe(3);
  expect(later).toMatchObject([
    { eventId: eventIds[3], attemptCount: 0 },
    { eventId: eventIds[4], attemptCount: 0 },
  ]);
  expect(firstAttemptLimit.held).toBe(0);
  for (const left of later) {
    const requested = { appUid, eventId: left.eventId, webhookUid, left };
    const outcome = await inActivity(() => retryDelivery(few, requested));
    expect(outcome).toMatchObject({ state: 'delivered', attemptCount: 1 });
  }
});

const hourMs = 3_600_000;

test.each([
  ['was not recorded yet', null, 5_000],
  ['was left to the retries 15 s ago', { state: 'pending', agoMs: 15_000 }, 20_000],
  // The number of calls for other reasons does not matter.
  ['is due just now after five attempts', { state: 'retrying', agoMs: 0 }, 5_000],
  ['was due 15 s ago after five attempts', { state: 'retrying', agoMs: 15_000 }, 20_000],
  ['was due an hour ago', { state: 'retrying', agoMs: hourMs }, 60_000],
] as const)('the delay of a throttled delivery that %s grows with its wait', async (...row) => {
  const [, waits, nextRetryDelay] = row;
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { appUid, _id: webhookUid } = webhook;
  const [eventId = ''] = await insertEvents(webhook, 1);
  const now = Date.now();
  if (waits !== null) {
    const [{ state }, since] = [waits, new Date(now - waits.agoMs)];
    const tried = state === 'retrying' ? { attemptCount: 5, nextAttemptAt: since } : {};
    const key = { eventId, webhookUid, state, ...tried, updatedAt: since };
    await installation.store.deliveries.insertOne(newDelivery(installation, new Date(now), key));
  }
  const fixed = { clock: { now: () => new Date(now) }, random: () => 0.5 };
  const crowded = { ...ports, ...fixed, sender: throttling() };
  const requested = { appUid, eventId, webhookUid };
  const retrying = inActivity(() => retryDelivery(crowded, requested));
  const category = ApplicationFailureCategory.BENIGN;
  await expect(retrying).rejects.toMatchObject({ type: 'Throttled', category, nextRetryDelay });
});

test('a delivery whose webhook changed while it waited for a permit is attempted again immediately', async () => {
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { appUid, _id: webhookUid } = webhook;
  const [eventId = ''] = await insertEvents(webhook, 1);
  const nextAttemptAt = new Date(Date.now() - hourMs);
  const tried = { state: 'retrying', attemptCount: 5, nextAttemptAt } as const;
  const delivery = newDelivery(installation, new Date(), { eventId, webhookUid, ...tried });
  await installation.store.deliveries.insertOne(delivery);
  let nowMs = Date.now();
  const send: Sender['send'] = async (request) => {
    nowMs += attemptLimits.factsFreshMs + 1;
    const change = { $set: { updatedAt: new Date(nowMs) } };
    await installation.store.webhooks.updateOne({ _id: webhookUid }, change);
    if ('compose' in request) await request.compose();
    throw new Error('it was sent');
  };
  const waiting = {
    ...ports,
    clock: { now: () => new Date(nowMs) },
    sender: { ...ports.sender, send },
  };
  const retrying = inActivity(() => retryDelivery(waiting, { appUid, eventId, webhookUid }));
  await expect(retrying).rejects.toMatchObject({ type: 'RetryDue', nextRetryDelay: 1 });
});
