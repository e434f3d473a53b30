// When a webhook's filters are narrowed, its open deliveries that no longer match are not sent.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import type { Caller } from '../../../lib/model/caller.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { countHeld } from '../../../lib/history/held-counts.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { giveNumber } from '../../support/issue-number.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { resumeWebhook } from '../../support/resume.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let webhook: WebhookDocument;
const { signal } = new AbortController();

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  ports = deliveryPorts(installation, { sender });
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  webhook = await insertWebhook(installation, { url: receiver.url });
});

async function change(fields: Partial<WebhookDocument>): Promise<void> {
  await installation.store.webhooks.updateOne({ _id: webhook._id }, { $set: fields });
}

interface OpenDelivery {
  event?: Partial<EventDocument>;
  delivery?: Partial<DeliveryDocument>;
}

/** An event about an agent of `tenant-1`, and its delivery if there is one. */
async function insert({ event, delivery }: OpenDelivery): Promise<EventDocument> {
  const now = new Date();
  const made = { ...newEvent(installation, [webhook._id], now), ...event };
  await installation.store.events.insertOne(made);
  const key = { eventId: made._id, webhookUid: webhook._id };
  if (delivery !== undefined) {
    const fields = { ...key, ...delivery };
    await installation.store.deliveries.insertOne(newDelivery(installation, now, fields));
  }
  return made;
}

function attempt(
  { appUid, _id: eventId }: EventDocument,
  caller: Caller = { kind: 'event' },
): Promise<DeliveryOutcome> {
  const key = { appUid, eventId, webhookUid: webhook._id };
  return attemptDelivery(ports, key, { caller, signal });
}

/** Resumes the webhook and attempts the delivery that its release took. */
async function attemptReleased(event: EventDocument): Promise<DeliveryOutcome> {
  const { appUid, _id: webhookUid } = webhook;
  const { jobUid, page } = await resumeWebhook(ports, { appUid, webhookUid });
  expect(page.events).toEqual([{ eventId: event._id, webhookUids: [webhookUid] }]);
  return attempt(event, { kind: 'job', jobUid });
}

const requestsOf = ({ _id }: EventDocument): number =>
  receiver.requests.filter(({ headers }) => headers['webhook-id'] === _id).length;

const aRetry = { state: 'retrying', attemptCount: 1, nextAttemptAt: new Date() } as const;
const otherEntity: Partial<WebhookDocument> = { entities: ['context'] };

test.each<[string, Partial<WebhookDocument>, OpenDelivery]>([
  ['a first attempt, whose entity', otherEntity, {}],
  ['a retry, whose entity', otherEntity, { delivery: aRetry }],
  ['a retry, whose event', { events: ['agent.created'] }, { delivery: aRetry }],
  ['a retry, whose tenant', { externalTenantIds: ['tenant-2'] }, { delivery: aRetry }],
  ['a replay, whose entity', otherEntity, { delivery: { state: 'pending', requeuedAs: 'replay' } }],
])('%s the filters no longer match, is cancelled and not sent', async (_what, fields, given) => {
  const event = await insert(given);
  await change(fields);
  expect(await attempt(event)).toMatchObject({ state: 'cancelled', nextAttemptAt: null });
  const delivery = await installation.store.deliveries.findOne({ eventId: event._id });
  expect(delivery).toMatchObject({ state: 'cancelled', nextAttemptAt: null });
  expect(requestsOf(event)).toBe(0);
});

test.each<[string, Partial<WebhookDocument>, OpenDelivery]>([
  [
    'an event that still matches',
    { events: ['agent.updated'], externalTenantIds: ['tenant-1'] },
    {},
  ],
  ['a resend', otherEntity, { delivery: { state: 'pending', requeuedAs: 'resend' } }],
  ['a retry of a resend', otherEntity, { delivery: { ...aRetry, requeuedAs: 'resend' } }],
  [
    'a test event',
    { ...otherEntity, externalTenantIds: ['tenant-2'] },
    { event: { event: 'webhook.test', entity: 'webhook', sequence: null } },
  ],
])('%s is sent to a webhook with narrowed filters', async (_what, fields, given) => {
  const event = await insert(given);
  await change(fields);
  expect(await attempt(event)).toMatchObject({ state: 'delivered' });
  expect(requestsOf(event)).toBe(1);
});

test('filters cancel nothing during a pause: the filters at the resume decide', async () => {
  const event = await insert({ delivery: aRetry });
  await change({ ...otherEntity, active: false });
  expect(await attempt(event)).toMatchObject({ state: 'held' });
  expect(await countHeld(installation.store, { ...webhook, active: false })).toBe(1);
  await change({ entities: ['agent'] });
  expect(await attemptReleased(event)).toMatchObject({ state: 'delivered' });
  expect(await countHeld(installation.store, webhook)).toBe(0);
});

test.each([
  { what: 'an event', requeuedAs: null, state: 'cancelled' },
  { what: 'a replay', requeuedAs: 'replay', state: 'cancelled' },
  { what: 'a resend', requeuedAs: 'resend', state: 'delivered' },
] as const)('$what that was held and no longer matches the filters is $state', async (row) => {
  const { requeuedAs, state } = row;
  const event = await insert({ delivery: { state: 'held', requeuedAs, attemptCount: 1 } });
  await change(otherEntity);
  expect(await attemptReleased(event)).toMatchObject({ state });
  expect(requestsOf(event)).toBe(state === 'delivered' ? 1 : 0);
});

test('after a cancellation by the filters the partition sends the later events', async () => {
  const resourceUid = newId('agt');
  const first = await insert({ event: { resourceUid } });
  const second = await insert({ event: { resourceUid, event: 'agent.created' } });
  const { partition } = await giveNumber(installation, first, webhook._id);
  await giveNumber(installation, second, webhook._id);
  await change({ ordering: 'resource', events: ['agent.created'] });

  const step = await attemptInOrder(ports, partition, { signal });
  expect(step.next).toBe('end');
  expect(step.settled.map(({ state }) => state)).toEqual(['cancelled', 'delivered']);
  expect([requestsOf(first), requestsOf(second)]).toEqual([0, 1]);
});
