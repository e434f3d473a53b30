// Releases, page by page and without Temporal: each held delivery is handed on once, whatever comes between.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { attemptDelivery } from '../../../lib/delivery/attempt-delivery.ts';
import { discardPage } from '../../../lib/delivery/discard.ts';
import type { DeliveryPorts } from '../../../lib/delivery/ports.ts';
import { takePage } from '../../../lib/delivery/redeliver-pages.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { newId } from '../../../lib/ids.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { createHttpSender } from '../../../lib/net/http-sender.ts';
import { newDiscard } from '../../../lib/store/redeliveries.ts';
import type { RedeliverPage } from '../../../lib/temporal/messages.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';
import { startReceiver } from '../../support/receivers.ts';
import type { Receiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let webhook: WebhookDocument;
const answers: { send: () => void; status: number }[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(
    await startReceiver((response) => {
      const answer = { send: () => void response.writeHead(answer.status).end(), status: 200 };
      answers.push(answer);
    }),
  );
  const policy = installation.config.egress;
  ports = deliveryPorts(installation, {
    sender: open.use(createHttpSender({ policy })),
  });
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  webhook = await insertWebhook(installation, { url: receiver.url });
  answers.length = 0;
});

/** Deliveries to the webhook, the first the oldest, each with an event of its own. */
async function insert(count: number, fields: Partial<DeliveryDocument>): Promise<string[]> {
  const { _id: webhookUid } = webhook;
  const made: DeliveryDocument[] = [];
  for (let n = 0; n < count; n += 1) {
    const { _id: eventId } = await insertEvent(installation, [webhookUid]);
    made.push(newDelivery(installation, new Date(), { eventId, webhookUid, ...fields }));
  }
  await installation.store.deliveries.insertMany(made);
  return made.map((delivery) => delivery.eventId);
}

async function resume(): Promise<string> {
  const releaseUid = newId('rdl');
  const { _id } = webhook;
  await installation.store.webhooks.updateOne({ _id }, { $set: { active: true, releaseUid } });
  return releaseUid;
}

async function pause(): Promise<void> {
  const { _id } = webhook;
  await installation.store.webhooks.updateOne({ _id }, { $set: { active: false } });
}

function page(releaseUid: string, after = ''): Promise<RedeliverPage> {
  const { appUid, _id: webhookUid } = webhook;
  const source = { kind: 'held', webhookUid, releaseUid } as const;
  return takePage(ports, { appUid, source, after, released: 0 });
}

const eventsOf = ({ events }: RedeliverPage): string[] => events.map(({ eventId }) => eventId);

function attempt(
  eventId: string,
  redeliveryUid: string | null,
  attemptPorts = ports,
): Promise<DeliveryOutcome> {
  const key = { appUid: webhook.appUid, eventId, webhookUid: webhook._id };
  const { signal } = new AbortController();
  return attemptDelivery(attemptPorts, key, { redeliveryUid, signal });
}

/** Ports of an attempt that meets a change between its two looks at the webhook. */
function beforeSecondLook(change: () => Promise<void>): DeliveryPorts {
  let looks = 0;
  const records: DeliveryPorts['records'] = {
    ...ports.records,
    async readWebhook(key) {
      looks += 1;
      if (looks === 2) await change();
      return ports.records.readWebhook(key);
    },
  };
  return { ...ports, records };
}

async function stateOf(eventId: string): Promise<string | undefined> {
  const filter = { eventId, webhookUid: webhook._id };
  return (await installation.store.deliveries.findOne(filter))?.state;
}

const requestsOf = (eventId: string): number =>
  receiver.requests.filter(({ headers }) => headers['webhook-id'] === eventId).length;

test('a release hands on the oldest, 20 a page, until nothing is held', async () => {
  const held = await insert(21, { state: 'held' });
  const release = await resume();
  const first = await page(release);
  expect(eventsOf(first)).toEqual(held.slice(0, 20));
  const second = await page(release, first.after);
  expect(eventsOf(second)).toEqual(held.slice(20));
  expect(await page(release, second.after)).toMatchObject({ events: [], isLast: true });
});

test('a page that is repeated after a crash is the same one, and so it is after a pause and a resume', async () => {
  const held = await insert(25, { state: 'held' });
  const release = await resume();
  const first = await page(release);
  expect(await page(release)).toEqual(first);
  await pause();
  expect(await page(release)).toEqual(first);
  const next = await resume();
  expect(await page(release)).toEqual(first);
  expect(eventsOf(await page(next))).toEqual(held.slice(20));
  expect(await page(release, first.after)).toMatchObject({ events: [], isLast: true });
});

test('what a release sends is told as a first attempt or as a retry, also of what was sent again meanwhile', async () => {
  const made: Partial<DeliveryDocument>[] = [
    { attemptCount: 0, scheduleFrom: 0, requeuedAs: null },
    { attemptCount: 1, scheduleFrom: 0, requeuedAs: null },
    { attemptCount: 1, scheduleFrom: 1, requeuedAs: 'resend' },
  ];
  for (const [index, fields] of made.entries()) {
    const [eventId = ''] = await insert(1, { state: 'held', ...fields });
    const release = await resume();
    await page(release);
    const sent = attempt(eventId, release);
    await waitFor(() => answers.length === index + 1);
    answers[index]?.send();
    await sent;
    const delivery = await installation.store.deliveries.findOne({ eventId });
    expect(delivery?.attempts.at(-1)?.trigger).toBe(index === 0 ? 'event' : 'retry');
  }
});

test('a release ends with the pause, and one before it with the next resume', async () => {
  const held = await insert(1, { state: 'held' });
  const release = await resume();
  await pause();
  expect(await page(release)).toMatchObject({ events: [], isLast: true });
  const next = await resume();
  expect(await page(release)).toMatchObject({ events: [], isLast: true });
  expect(eventsOf(await page(next))).toEqual(held);
});

test('what was taken and met a pause is held again, and the next release alone sends it', async () => {
  const [eventId = ''] = await insert(1, { state: 'held' });
  const release = await resume();
  await page(release);
  await pause();
  expect(await attempt(eventId, release)).toMatchObject({ state: 'held' });
  const next = await resume();
  expect(eventsOf(await page(next))).toEqual([eventId]);
  expect(await attempt(eventId, release)).toMatchObject({ state: 'superseded' });
  const sent = attempt(eventId, next);
  await waitFor(() => answers.length === 1);
  answers[0]?.send();
  expect(await sent).toMatchObject({ state: 'delivered' });
  expect(requestsOf(eventId)).toBe(1);
});

test('what a release has under way is no more held, so the next one leaves it alone', async () => {
  const [eventId = ''] = await insert(1, { state: 'held' });
  const release = await resume();
  await page(release);
  const sending = attempt(eventId, release);
  await waitFor(() => answers.length === 1);
  await pause();
  expect(await page(await resume())).toMatchObject({ events: [], isLast: true });
  answers[0]?.send();
  expect(await sending).toMatchObject({ state: 'delivered' });
  expect(requestsOf(eventId)).toBe(1);
});

test('a resume between the reading of the pause and the holding has one sender: the release or the attempt', async () => {
  for (const releases of [true, false]) {
    await pause();
    const { _id: eventId } = await insertEvent(installation, [webhook._id]);
    answers.length = 0;
    const resuming = beforeSecondLook(async () => {
      const release = await resume();
      if (releases) expect(eventsOf(await page(release))).toEqual([eventId]);
    });
    const attempted = attempt(eventId, null, resuming);
    if (releases) {
      expect(await attempted).toMatchObject({ state: 'superseded' });
      expect(await stateOf(eventId)).toBe('pending');
    } else {
      await waitFor(() => answers.length === 1);
      // While it is sent nothing is held that a release could take.
      expect(await page(await resume())).toMatchObject({ events: [], isLast: true });
      answers[0]?.send();
      expect(await attempted).toMatchObject({ state: 'delivered' });
    }
    expect(requestsOf(eventId)).toBe(releases ? 0 : 1);
  }
});

test('a webhook that is deleted between the reading of the pause and the holding leaves nothing held', async () => {
  await pause();
  const { _id: eventId } = await insertEvent(installation, [webhook._id]);
  const deleting = beforeSecondLook(async () => {
    await installation.store.webhooks.deleteOne({ _id: webhook._id });
  });
  const outcome = await attempt(eventId, null, deleting);
  expect(outcome).toMatchObject({ state: 'cancelled' });
});

test('a release first drops what an earlier resume was to drop, in pages, and hands on the rest', async () => {
  const { appUid, _id: webhookUid } = webhook;
  const { deliveries, redeliveries, webhooks } = installation.store;
  const now = Date.now();
  const discard = newDiscard({ appUid, webhookUids: [webhookUid] }, new Date(now - 1_000));
  await redeliveries.insertOne(discard);
  await webhooks.updateOne({ _id: webhookUid }, { $set: { discardUid: discard._id } });
  const older = Array.from({ length: 1_001 }, () =>
    newDelivery(installation, new Date(now - 2_000), { webhookUid, state: 'held' }),
  );
  await deliveries.insertMany(older);
  const held = await insert(1, { state: 'held' });
  const release = await resume();
  expect(await page(release)).toEqual({ events: [], after: '', isLast: false });
  expect(await deliveries.countDocuments({ webhookUid, state: 'cancelled' })).toBe(1_000);
  expect(eventsOf(await page(release))).toEqual(held);
  expect(await deliveries.countDocuments({ webhookUid, state: 'cancelled' })).toBe(1_001);
  expect(await redeliveries.findOne({ _id: discard._id })).toMatchObject({ state: 'done' });
});

test('an attempt under way when its delivery is dropped is told if it delivers, and not tried again if not', async () => {
  for (const [status, ends] of [
    [200, 'delivered'],
    [500, 'cancelled'],
  ] as const) {
    answers.length = 0;
    const [eventId = ''] = await insert(1, { state: 'pending' });
    const sending = attempt(eventId, null);
    await waitFor(() => answers.length === 1);
    const uid = newId('rdl', new Date(Date.now() + 1_000));
    await discardPage(ports, { appUid: webhook.appUid, webhookUid: webhook._id, uid });
    expect(await stateOf(eventId)).toBe('cancelled');
    const [answer] = answers;
    if (answer === undefined) throw new Error('nothing was sent');
    answer.status = status;
    answer.send();
    expect(await sending).toMatchObject({ state: ends });
    expect(await stateOf(eventId)).toBe(ends);
  }
});
