// A receiver that is slower than its events come: what gets no turn waits in Temporal, in nobody's place.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Info as ActivityInfo } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { attemptFirst } from '../../../activities/attempt-first.ts';
import { retryDelivery } from '../../../activities/retry-delivery.ts';
import { discardPage } from '../../../lib/delivery/discard.ts';
import type { DeliveryPorts } from '../../../lib/delivery/ports.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { newId } from '../../../lib/ids.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { createHttpSender } from '../../../lib/net/http-sender.ts';
import type { HttpSender } from '../../../lib/net/http-sender.ts';
import { SendFault } from '../../../lib/net/send-fault.ts';
import { countHeld } from '../../../lib/store/held-deliveries.ts';
import { firstAttemptsPerActivityMax } from '../../../lib/temporal/messages.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';
import { startReceiver } from '../../support/receivers.ts';
import type { Receiver } from '../../support/receivers.ts';

const turnsOfWebhook = 24;

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

const inActivity = <T>(run: () => Promise<T>, info: Partial<ActivityInfo> = {}): Promise<T> =>
  new MockActivityEnvironment({ scheduledTimestampMs: Date.now(), ...info }).run(run);

test('first attempts that get no turn are left to the retries as pending, and none is a fault', async () => {
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { appUid, _id: webhookUid } = webhook;
  const eventIds = await insertEvents(webhook, firstAttemptsPerActivityMax);
  const deliveries = eventIds.map((eventId) => ({ eventId, webhookUid }));
  const outcomes = await inActivity(() => attemptFirst(ports, { appUid, deliveries }));

  expect(outcomes.map(({ state }) => state)).toEqual(eventIds.map(() => 'retrying'));
  const [leftOut, tried] = [outcomes.filter(isLeftOut), outcomes.filter((one) => !isLeftOut(one))];
  expect(tried.length).toBeGreaterThanOrEqual(turnsOfWebhook);
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

  await discardPage(ports, { appUid, webhookUid, uid: newId('rdl', new Date(Date.now() + 1)) });
  const dropped = await inActivity(() => retryDelivery(ports, { ...input, eventId: droppedId }));
  expect(dropped).toMatchObject({ state: 'cancelled', attemptCount: 0 });
  const sentIds = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect(sentIds).toContain(eventId);
  expect(sentIds).not.toContain(droppedId);
});

const eventIdOf = ({ eventId }: DeliveryOutcome): string => eventId;

function isLeftOut({ attemptCount, nextAttemptAt }: DeliveryOutcome): boolean {
  return attemptCount === 0 && nextAttemptAt === null;
}

/** A sender that has no turn for anybody; `seen` gets what each request said of slow receivers. */
function withoutTurns(seen: unknown[] = []): HttpSender {
  return {
    ...ports.sender,
    async send({ avoidsSlow }) {
      seen.push(avoidsSlow);
      throw new SendFault('NO_TURN', 'too many requests to this receiver are under way');
    },
  };
}

test('first attempts stay away from a slow receiver, and retries wait for their turn there', async () => {
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { appUid, _id: webhookUid } = webhook;
  const [first = '', second = ''] = await insertEvents(webhook, 2);
  const seen: unknown[] = [];
  const crowded = { ...ports, sender: withoutTurns(seen) };
  const deliveries = [{ eventId: first, webhookUid }];
  await inActivity(() => attemptFirst(crowded, { appUid, deliveries }));
  const asked = { appUid, eventId: second, webhookUid };
  const retrying = inActivity(() => retryDelivery(crowded, asked));
  await expect(retrying).rejects.toMatchObject({ type: 'NoTurn' });
  expect(seen).toEqual([true, false]);
});

const hourMs = 3_600_000;

test.each([
  ['left to the retries just now', { leftAgoMs: 0, times: 1 }],
  ['left to them 16 s ago', { leftAgoMs: 16_000, times: 2 }],
  ['left to them an hour ago', { leftAgoMs: hourMs, times: 8 }],
  // How often it was called for other reasons says nothing.
  ['retried for an hour, and due just now', { leftAgoMs: hourMs, dueAgoMs: 0, times: 1 }],
  ['retried for an hour, and due 16 s ago', { leftAgoMs: hourMs, dueAgoMs: 16_000, times: 2 }],
  ['due before it was left to them', { leftAgoMs: 0, dueAgoMs: hourMs, times: 1 }],
])('without a turn, what was %s stays away in keeping', async (_what, facts) => {
  const { leftAgoMs, dueAgoMs, times } = { dueAgoMs: undefined, ...facts };
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { appUid, _id: webhookUid } = webhook;
  const [eventId = ''] = await insertEvents(webhook, 1);
  const now = Date.now();
  if (dueAgoMs !== undefined) {
    const nextAttemptAt = new Date(now - dueAgoMs);
    const tried = { state: 'retrying', attemptCount: 5, nextAttemptAt } as const;
    const delivery = newDelivery(installation, new Date(now), { eventId, webhookUid, ...tried });
    await installation.store.deliveries.insertOne(delivery);
  }
  const crowded = { ...ports, clock: { now: () => new Date(now) }, sender: withoutTurns() };
  const info = { attempt: 6, scheduledTimestampMs: now - leftAgoMs };
  for (const [random, firstMs] of [
    [0, 4_000],
    [0.5, 8_000],
  ] as const) {
    const asked = { appUid, eventId, webhookUid };
    const retrying = inActivity(
      () => retryDelivery({ ...crowded, random: () => random }, asked),
      info,
    );
    const nextRetryDelay = firstMs * times;
    await expect(retrying).rejects.toMatchObject({ type: 'NoTurn', nextRetryDelay });
  }
});

test('retries that get no turn ask Temporal to be called again some seconds later', async () => {
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { appUid, _id: webhookUid } = webhook;
  const eventIds = await insertEvents(webhook, firstAttemptsPerActivityMax);
  const ends = await Promise.allSettled(
    eventIds.map((eventId) =>
      inActivity(() => retryDelivery(ports, { appUid, eventId, webhookUid })),
    ),
  );
  const failures = ends.map((end) => (end.status === 'rejected' ? (end.reason as unknown) : end));
  const turnedAway = failures.filter((failure): failure is ApplicationFailure => {
    return failure instanceof ApplicationFailure && failure.type === 'NoTurn';
  });
  expect(turnedAway.length).toBeGreaterThan(0);
  for (const { category, nextRetryDelay, message } of turnedAway) {
    expect(category).toBe(ApplicationFailureCategory.BENIGN);
    expect(nextRetryDelay).toBeGreaterThanOrEqual(4_000);
    expect(nextRetryDelay).toBeLessThanOrEqual(12_000);
    expect(message).toContain(new URL(receiver.url).host);
  }
});
