// A pause holds, a resume delivers: what happened meanwhile is sent, oldest first.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startReceiver } from '../support/receivers.ts';
import type { Receiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => response.writeHead(200).end());
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function newWebhook(path: string): Promise<string> {
  return (await registerWebhook(service, { url: `${receiver.url}${path}` })).uid;
}

const report = (n: number): Promise<string> => reportChange(service, { uid: `agt_${n}` });

function arrivedAt(path: string): string[] {
  return receiver.requests
    .filter((request) => request.path === path)
    .map((request) => String(request.headers['webhook-id']));
}

async function untilHeld(webhookUid: string, count: number): Promise<void> {
  await waitFor(
    async () =>
      (await service.store.deliveries.countDocuments({ webhookUid, state: 'held' })) === count,
    { timeoutMs: 15_000, what: `${count} held deliveries` },
  );
}

const pause = (uid: string) =>
  service.call('PATCH', `/webhooks/${uid}`, { body: { active: false } });
const resume = (uid: string) =>
  service.call('PATCH', `/webhooks/${uid}`, { body: { active: true } });

test('events of a paused webhook wait and arrive after it is resumed, in pages of the oldest', async () => {
  const uid = await newWebhook('/held');
  expect((await pause(uid)).body['active']).toBe(false);
  const eventIds: string[] = [];
  for (let n = 0; n < 25; n += 1) eventIds.push(await report(n));
  await untilHeld(uid, 25);
  expect(arrivedAt('/held')).toEqual([]);

  expect((await resume(uid)).body['active']).toBe(true);
  await waitFor(() => arrivedAt('/held').length === 25, { timeoutMs: 15_000, what: 'all 25' });
  expect(new Set(arrivedAt('/held'))).toEqual(new Set(eventIds));
  await untilHeld(uid, 0);
  // A page is the 20 longest held; what order they have inside it is the network's.
  const held = await service.store.deliveries.find({ webhookUid: uid }).sort({ _id: 1 }).toArray();
  const oldest = held.slice(0, 20).map((delivery) => delivery.eventId);
  expect(new Set(arrivedAt('/held').slice(0, 20))).toEqual(new Set(oldest));
});

test('a resume whose release was never started is mended by the relay', async () => {
  const uid = await newWebhook('/mended');
  await pause(uid);
  const eventId = await report(100);
  await untilHeld(uid, 1);
  const { dispatcher } = service.context;
  service.context.dispatcher = { ...dispatcher, release: () => undefined };
  await resume(uid);
  service.context.dispatcher = dispatcher;
  await waitFor(() => arrivedAt('/mended').includes(eventId), { timeoutMs: 15_000 });
  const webhook = await waitFor(async () => {
    const found = await service.store.webhooks.findOne({ _id: uid });
    return found?.resumedAt === null ? found : undefined;
  });
  expect(webhook.active).toBe(true);
});

test('resuming a webhook that was not paused releases nothing', async () => {
  const uid = await newWebhook('/active');
  await resume(uid);
  const webhook = await service.store.webhooks.findOne({ _id: uid });
  expect(webhook?.resumedAt).toBeNull();
});

test('a resume that discards sends nothing of what was held, and what comes after it arrives', async () => {
  const uid = await newWebhook('/discarded');
  await pause(uid);
  for (let n = 0; n < 3; n += 1) await report(n);
  await untilHeld(uid, 3);
  expect((await service.call('GET', `/webhooks/${uid}`)).body['heldCount']).toBe(3);

  await service.call('PATCH', `/webhooks/${uid}`, { body: { active: true, onResume: 'discard' } });
  await waitFor(
    async () =>
      (await service.store.deliveries.countDocuments({ webhookUid: uid, state: 'cancelled' })) ===
      3,
    { what: 'the held deliveries dropped' },
  );
  expect((await service.call('GET', `/webhooks/${uid}`)).body['heldCount']).toBe(0);
  const next = await report(3);
  await waitFor(() => arrivedAt('/discarded').length > 0, { timeoutMs: 15_000 });
  expect(arrivedAt('/discarded')).toEqual([next]);
});

test('what is sent again to a paused webhook is shown as held, and sent when it is resumed', async () => {
  const uid = await newWebhook('/resent');
  const eventId = await report(200);
  await waitFor(() => arrivedAt('/resent').length === 1);
  await pause(uid);
  const resend = await service.call('POST', `/events/${eventId}/resend`, {
    body: { webhookUids: [uid] },
  });
  expect(resend.status).toBe(202);
  expect(resend.body).toMatchObject({ webhookUids: [uid], pausedWebhookUids: [uid] });
  await untilHeld(uid, 1);
  const { body } = await service.call('GET', `/webhooks/${uid}/deliveries?state=held`);
  expect(body['data']).toMatchObject([{ eventId, state: 'held', attemptCount: 1 }]);
  expect(arrivedAt('/resent')).toEqual([eventId]);

  await resume(uid);
  await waitFor(() => arrivedAt('/resent').length === 2, { timeoutMs: 15_000 });
  expect(arrivedAt('/resent')).toEqual([eventId, eventId]);
  const again = await service.call('POST', `/events/${eventId}/resend`, {
    body: { webhookUids: [uid] },
  });
  expect(again.body).toMatchObject({ pausedWebhookUids: [] });
});
