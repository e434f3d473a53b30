// A step along a lane that ends between the holding of a delivery and the second look at its webhook: the repeat looks.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { attemptInOrder } from '../../../lib/delivery/attempt-in-order.ts';
import type { DeliveryPorts } from '../../../lib/delivery/ports.ts';
import { takePage } from '../../../lib/delivery/redeliver-pages.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { newId } from '../../../lib/ids.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { createHttpSender } from '../../../lib/net/http-sender.ts';
import { laneOf } from '../../../lib/store/lanes.ts';
import type { LaneStep } from '../../../lib/temporal/messages.ts';
import { sequenceOf } from '../../support/counting-receiver.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';
import { startReceiver } from '../../support/receivers.ts';
import type { Receiver } from '../../support/receivers.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let webhook: WebhookDocument;
let resourceUid: string;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  ports = deliveryPorts(installation, { sender });
});

beforeEach(async () => {
  resourceUid = newId('agt');
  const url = `${receiver.url}/${resourceUid}`;
  webhook = await insertWebhook(installation, { url, ordering: 'resource', active: false });
});

afterAll(() => open[Symbol.asyncDispose]());

/** Writes an event about the resource and its delivery; gives the delivery's uid. */
async function insert(sequence: number, fields: Partial<DeliveryDocument> = {}): Promise<string> {
  const now = new Date();
  const event = { ...newEvent(installation, [webhook._id], now), resourceUid, sequence };
  await installation.store.events.insertOne({ ...event, inOrder: true });
  const delivery = newDelivery(installation, now, {
    eventId: event._id,
    webhookUid: webhook._id,
    state: 'waiting',
    lane: { entity: 'agent', resourceUid, sequence },
    ...fields,
  });
  await installation.store.deliveries.insertOne(delivery);
  return delivery._id;
}

function step(withPorts = ports): Promise<LaneStep> {
  const { appUid, _id: webhookUid } = webhook;
  const lane = laneOf({ appUid, entity: 'agent', resourceUid }, webhookUid);
  return attemptInOrder(withPorts, lane, new AbortController().signal);
}

/** Takes a step that ends at its second look at the webhook. */
async function breakOff(): Promise<void> {
  let looks = 0;
  const records: DeliveryPorts['records'] = {
    ...ports.records,
    async readWebhook(key) {
      looks += 1;
      if (looks === 2) throw new Error('the database is away');
      return ports.records.readWebhook(key);
    },
  };
  await expect(step({ ...ports, records })).rejects.toThrow('the database is away');
}

async function resume(fields: Partial<WebhookDocument> = {}): Promise<void> {
  const { _id } = webhook;
  await installation.store.webhooks.updateOne({ _id }, { $set: { active: true, ...fields } });
}

const stored = (_id: string): Promise<DeliveryDocument | null> =>
  installation.store.deliveries.findOne({ _id });

const sequencesSent = (): number[] =>
  receiver.requests.filter(({ path }) => path === `/${resourceUid}`).map(sequenceOf);

test('a head that a pause held and a resume found too early is sent by the repeat', async () => {
  const uid = await insert(1);
  await breakOff();
  expect(await stored(uid)).toMatchObject({ state: 'held' });
  await resume();
  expect(await step()).toMatchObject({ next: 'empty', settled: [{ state: 'delivered' }] });
  expect(sequencesSent()).toEqual([1]);
});

test('what was held behind a held one is sent by the repeat, but not before that one', async () => {
  const before = await insert(1, { state: 'held', lane: null });
  const uid = await insert(2);
  await breakOff();
  expect(await stored(uid)).toMatchObject({ state: 'held' });
  await resume();
  expect(await step()).toMatchObject({ next: 'behind', settled: [] });
  expect(sequencesSent()).toEqual([]);
  await installation.store.deliveries.updateOne({ _id: before }, { $set: { state: 'delivered' } });
  expect(await step()).toMatchObject({ next: 'empty', settled: [{ state: 'delivered' }] });
  expect(sequencesSent()).toEqual([2]);
});

test.each([
  ['a head', 1],
  ['what is behind a held one', 2],
])('%s leaves its lane once it stays held', async (_what, sequence) => {
  if (sequence === 2) await insert(1, { state: 'held', lane: null });
  const uid = await insert(sequence);
  await breakOff();
  expect(await step()).toMatchObject({ next: 'empty' });
  expect(await stored(uid)).toMatchObject({ state: 'held', lane: null });
});

test("what a release takes meanwhile is the release's, and the repeat leaves it alone", async () => {
  const uid = await insert(1);
  await breakOff();
  const releaseUid = newId('rdl');
  await resume({ releaseUid });
  const { appUid, _id: webhookUid } = webhook;
  const source = { kind: 'held', webhookUid, releaseUid } as const;
  const page = await takePage(ports, { appUid, source, after: '', released: 0 });
  expect(page.events).toHaveLength(1);
  expect(await step()).toMatchObject({ next: 'empty', settled: [] });
  expect(await stored(uid)).toMatchObject({ state: 'pending', redeliveryUid: releaseUid });
  expect(sequencesSent()).toEqual([]);
});
