// An erasure beside what is being written at that moment, and one that is killed on its way.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { attemptDelivery } from '../../../lib/delivery/attempt-delivery.ts';
import { eraseStretch, lookAgainAfterMs } from '../../../lib/delivery/erase.ts';
import type { DeliveryPorts, LaneNews } from '../../../lib/delivery/ports.ts';
import type { ErasureDocument } from '../../../lib/model/erasure.ts';
import { createHttpSender } from '../../../lib/net/http-sender.ts';
import type { HttpSender } from '../../../lib/net/http-sender.ts';
import { erasePayloads, findRunningErasure, newErasure } from '../../../lib/store/erasures.ts';
import type { ErasedStretch } from '../../../lib/temporal/messages.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';
import { startReceiver } from '../../support/receivers.ts';
import type { Receiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

let installation: Installation;
let sender: HttpSender;
let receiver: Receiver;
let ports: DeliveryPorts;
const news: LaneNews[] = [];
/** Lets the receiver answer what it was sent, with a repetition of it. */
const answers: (() => void)[] = [];

beforeAll(async () => {
  installation = await createInstallation();
  sender = createHttpSender({ policy: installation.config.egress });
  receiver = await startReceiver((response, { body }) => {
    answers.push(() => response.writeHead(200).end(body));
  });
  const wakeLane = async (about: LaneNews) => void news.push(about);
  ports = deliveryPorts(installation, { sender, wakeLane });
});

afterEach(async () => {
  await installation.store.events.deleteMany({});
  await installation.store.erasures.deleteMany({});
});

afterAll(async () => {
  await sender?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

async function askForErasure(): Promise<ErasureDocument> {
  const { appUid } = installation.app;
  const erasure = newErasure(appUid, { externalTenantId: 'tenant-1' }, new Date());
  await installation.store.erasures.insertOne(erasure);
  return erasure;
}

const eraseAt = async (now: Date): Promise<ErasedStretch> => eraseStretch(ports, now);
const inMs = (ms: number): Date => new Date(Date.now() + ms);

/** Makes the first look, and gives when the second is due. */
async function lookOnce(): Promise<Date> {
  await eraseAt(new Date());
  const { againAt } = (await findRunningErasure(installation.store)) ?? {};
  if (!againAt) throw new Error('a second look was expected');
  return againAt;
}

const justBefore = ({ createdAt }: ErasureDocument): Date => new Date(createdAt.getTime() - 1);

test('an event that is committed after the first look, and is older, loses its payload at the second', async () => {
  const { store, app } = installation;
  const erasure = await askForErasure();
  const event = newEvent(installation, [], justBefore(erasure));
  const session = store.client.startSession();
  session.startTransaction();
  await store.events.insertOne(event, { session });
  const again = await lookOnce();
  await session.commitTransaction();
  await session.endSession();
  const younger = await insertEvent(installation, [], inMs(1));

  expect(await eraseAt(new Date(again.getTime() - 1))).toEqual({
    erased: 0,
    more: false,
    waitMs: 1,
  });
  expect((await store.events.findOne({ _id: event._id }))?.body).toBe(event.body);
  expect(await eraseAt(again)).toEqual({ erased: 1, more: true });
  expect((await store.events.findOne({ _id: event._id }))?.body).toBe('');
  expect((await store.events.findOne({ _id: younger._id }))?.body).toBe(younger.body);
  expect(await store.erasures.findOne({ appUid: app.appUid })).toMatchObject({
    state: 'done',
    subject: null,
    erasedCount: 1,
  });
  expect(await eraseAt(inMs(lookAgainAfterMs))).toEqual({ erased: 0, more: false });
});

test.each([
  ['a first attempt', 0],
  ['a retry', 1],
])(
  'what a receiver answers to %s that is under way does not stay',
  async (_which, attemptCount) => {
    const { store, app } = installation;
    const webhook = await insertWebhook(installation, { url: receiver.url });
    const { _id: eventId } = await insertEvent(installation, [webhook._id], inMs(-1_000));
    const key = { appUid: app.appUid, eventId, webhookUid: webhook._id };
    if (attemptCount > 0) {
      const fields = { ...key, state: 'retrying', attemptCount } as const;
      await store.deliveries.insertOne(newDelivery(installation, inMs(-1_000), fields));
    }
    answers.length = 0;
    const { signal } = new AbortController();
    const options = { redeliveryUid: null, signal } as const;
    const attempting = attemptDelivery(ports, key, options);
    await waitFor(() => answers.length === 1);
    await askForErasure();
    const again = await lookOnce();
    answers[0]?.();
    await attempting;
    const recorded = await store.deliveries.findOne({ eventId });
    expect(recorded?.attempts[0]?.responseSample).not.toBe('');
    await eraseAt(again);
    const left = await store.deliveries.findOne({ eventId });
    expect(left?.attempts.map((attempt) => attempt.responseSample)).toEqual(['']);
    expect(JSON.stringify(left)).not.toContain('agentName');
  },
);

test('what was erased before a kill is counted by the repeat, and by no other erasure', async () => {
  const { store } = installation;
  const [first, second] = [
    await insertEvent(installation, [], inMs(-1_000)),
    await insertEvent(installation, [], inMs(-1_000)),
  ];
  const erasure = await askForErasure();
  const facts = { erasureUid: erasure._id, now: new Date() };
  // Killed after the first event's marking, and after all of the second's writes.
  await store.events.updateOne(
    { _id: first._id },
    { $set: { erasedAt: facts.now, erasureUid: erasure._id } },
  );
  await erasePayloads(store, [second._id], facts);
  const again = await lookOnce();
  expect((await store.events.findOne({ _id: first._id }))?.body).toBe('');
  expect(await store.erasures.findOne({ _id: erasure._id })).toMatchObject({ erasedCount: 2 });
  const other = await askForErasure();
  await lookOnce();
  while ((await eraseAt(new Date(again.getTime() + lookAgainAfterMs))).more);
  const done = await store.erasures.find().sort({ _id: 1 }).toArray();
  expect(done.map(({ _id, state, erasedCount }) => [_id, state, erasedCount])).toEqual([
    [erasure._id, 'done', 2],
    [other._id, 'done', 0],
  ]);
});

test('a stretch that two processes do at once is counted once', async () => {
  const { store } = installation;
  for (let n = 0; n < 5; n += 1) await insertEvent(installation, [], inMs(-1_000));
  const { _id } = await askForErasure();
  await Promise.all([eraseAt(new Date()), eraseAt(new Date())]);
  expect(await store.erasures.findOne({ _id })).toMatchObject({ erasedCount: 5, after: '' });
});

test('a stretch of a named erasure is of that one, whosever turn it is; of one that is done it is nothing', async () => {
  const { store } = installation;
  const first = await askForErasure();
  const named = await askForErasure();
  const eraseNamed = async (now: Date) => eraseStretch(ports, now, named._id);
  expect(await eraseNamed(new Date())).toEqual({ erased: 0, more: true });
  const { waitMs } = await eraseNamed(new Date());
  expect(waitMs).toBeGreaterThan(lookAgainAfterMs - 60_000);
  await eraseNamed(inMs(lookAgainAfterMs));
  expect(await eraseNamed(inMs(lookAgainAfterMs))).toEqual({ erased: 0, more: false });
  expect((await store.erasures.findOne({ _id: named._id }))?.state).toBe('done');
  expect(await store.erasures.findOne({ _id: first._id })).toEqual(first);
});

test('a later event in order does not wait for one that was erased', async () => {
  const { store } = installation;
  const { _id } = await insertEvent(installation, [], inMs(-1_000));
  await store.events.updateOne({ _id }, { $set: { inOrder: true } });
  await askForErasure();
  await lookOnce();
  expect(await store.events.findOne({ _id })).toMatchObject({ inOrder: false, body: '' });
});

test('a lane whose head is erased while it waits for its retry is told to go on, also after a kill', async () => {
  const { store } = installation;
  const event = await insertEvent(installation, [], inMs(-1_000));
  const lane = { entity: 'agent', resourceUid: event.resourceUid, sequence: 1 } as const;
  const standing = { eventId: event._id, state: 'retrying', nextAttemptAt: inMs(60_000) } as const;
  const delivery = newDelivery(installation, inMs(-1_000), { ...standing, lane });
  await store.deliveries.insertOne(delivery);
  await askForErasure();
  const wakeLane = async () => Promise.reject(new Error('killed'));
  await expect(eraseStretch({ store, wakeLane }, new Date())).rejects.toThrow('killed');
  await eraseAt(new Date());
  const { appUid, webhookUid } = delivery;
  const { entity, resourceUid } = lane;
  const told = { lane: { appUid, webhookUid, entity, resourceUid }, letGo: event._id };
  expect(news).toEqual([told]);
  const left = await store.deliveries.findOne({ _id: delivery._id });
  expect(left).toMatchObject({ state: 'cancelled', lane: null, nextAttemptAt: null });
});
