// Discards, page by page and without Temporal: what was open when they were asked for is dropped, in lanes too.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/clock.ts';
import { discardPage } from '../../../lib/delivery/discard.ts';
import type { LaneNews } from '../../../lib/delivery/ports.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { newId } from '../../../lib/ids.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { newDiscard } from '../../../lib/store/redeliveries.ts';
import { insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';

const open = new Disposal();
let installation: Installation;
let ports: Parameters<typeof discardPage>[0];
let webhook: WebhookDocument;
const woken: LaneNews[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  const wakeLane = async (news: LaneNews) => void woken.push(news);
  ports = { store: installation.store, clock: systemClock, wakeLane };
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  webhook = await insertWebhook(installation, { url: 'https://receiver.example.com/' });
  woken.length = 0;
});

test('a discard drops, in pages, what was open when it was asked for, and nothing else', async () => {
  const now = new Date();
  const [older, newer] = [new Date(now.getTime() - 1_000), new Date(now.getTime() + 1_000)];
  const { appUid, _id: webhookUid } = webhook;
  const held = Array.from({ length: 998 }, () =>
    newDelivery(installation, older, { webhookUid, state: 'held' }),
  );
  const states = ['pending', 'waiting', 'retrying'] as const;
  const others = states.map((state) => newDelivery(installation, older, { webhookUid, state }));
  const discard = newDiscard({ appUid, webhookUids: [webhookUid] }, now);
  const spared = [
    newDelivery(installation, newer, { webhookUid, state: 'held' }),
    newDelivery(installation, older, { webhookUid, state: 'delivered' }),
    newDelivery(installation, older, {
      webhookUid,
      state: 'pending',
      redeliveryUid: newId('rdl', newer),
    }),
    newDelivery(installation, older, { state: 'held' }),
  ];
  const { deliveries } = installation.store;
  await deliveries.insertMany([...held, ...others, ...spared]);
  const what = { appUid, webhookUid, uid: discard._id };
  expect(await discardPage(ports, what)).toBe(false);
  expect(await deliveries.countDocuments({ webhookUid, state: 'cancelled' })).toBe(1_000);
  expect(await discardPage(ports, what)).toBe(true);
  expect(await deliveries.countDocuments({ webhookUid, state: 'cancelled' })).toBe(1_001);
  for (const { _id, state } of spared) {
    expect((await deliveries.findOne({ _id }))?.state).toBe(state);
  }
});

test('a discard drops what a worker with a clock ahead held before it, until a pause comes', async () => {
  const { appUid, _id: webhookUid } = webhook;
  const { deliveries, webhooks } = installation.store;
  const askedAt = Date.now();
  const discard = newDiscard({ appUid, webhookUids: [webhookUid] }, new Date(askedAt));
  const at = (aheadMs: number, state: DeliveryDocument['state']): DeliveryDocument =>
    newDelivery(installation, new Date(askedAt + aheadMs), { webhookUid, state });
  const [ahead, tooFarAhead] = [at(9_999, 'held'), at(10_000, 'held')];
  const notHeld = at(9_999, 'retrying');
  await deliveries.insertMany([ahead, tooFarAhead, notHeld]);
  const stateBy = async ({ _id }: DeliveryDocument) => (await deliveries.findOne({ _id }))?.state;

  const what = { appUid, webhookUid, uid: discard._id };
  const resumed = { active: true, releaseUid: discard._id };
  for (const since of [{ active: false }, { releaseUid: newId('rdl') }]) {
    await webhooks.updateOne({ _id: webhookUid }, { $set: { ...resumed, ...since } });
    await discardPage(ports, what);
    expect(await stateBy(ahead)).toBe('held');
  }
  await webhooks.updateOne({ _id: webhookUid }, { $set: resumed });
  await discardPage(ports, what);
  expect(await stateBy(ahead)).toBe('cancelled');
  expect(await stateBy(tooFarAhead)).toBe('held');
  expect(await stateBy(notHeld)).toBe('retrying');
});

test('a discard that is killed before a lane was told of it tells it when it is repeated', async () => {
  const lane = { entity: 'agent', resourceUid: newId('agt'), sequence: 2 } as const;
  const { appUid, _id: webhookUid } = webhook;
  const { deliveries } = installation.store;
  const dropped = newDelivery(installation, new Date(), { webhookUid, state: 'retrying', lane });
  await deliveries.insertOne(dropped);
  const what = { appUid, webhookUid, uid: newId('rdl', new Date(Date.now() + 1_000)) };
  const wakeLane = () => Promise.reject(new Error('killed'));
  await expect(discardPage({ ...ports, wakeLane }, what)).rejects.toThrow('killed');
  expect((await deliveries.findOne({ _id: dropped._id }))?.state).toBe('cancelled');
  await discardPage(ports, what);
  const { entity, resourceUid } = lane;
  expect(woken).toEqual([
    { lane: { appUid, webhookUid, entity, resourceUid }, letGo: dropped.eventId },
  ]);
  await discardPage(ports, what);
  expect(woken).toHaveLength(1);
});

test('a discard is not over while more than a page of what it dropped is in lanes', async () => {
  const { appUid, _id: webhookUid } = webhook;
  const { deliveries } = installation.store;
  const resourceUid = newId('agt');
  const dropped = Array.from({ length: 1_001 }, (_, index) =>
    newDelivery(installation, new Date(), {
      webhookUid,
      state: 'cancelled',
      lane: { entity: 'agent', resourceUid, sequence: index + 1 },
    }),
  );
  await deliveries.insertMany(dropped);
  const inLane = { webhookUid, 'lane.sequence': { $gt: 0 } } as const;
  const what = { appUid, webhookUid, uid: newId('rdl') };
  expect(await discardPage(ports, what)).toBe(false);
  expect(await deliveries.countDocuments(inLane)).toBe(1);
  expect(await discardPage(ports, what)).toBe(true);
  expect(await deliveries.countDocuments(inLane)).toBe(0);
  expect(new Set(woken.map((news) => news.letGo)).size).toBe(1_001);
});
