// A pause holds the events of a webhook; a resume sends or discards them.
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

/** Paths that respond with 500. */
const failing = new Set<string>();

const service = useService();
const receiver = useReceiver((response, { path }) => {
  response.writeHead(failing.has(path) ? 500 : 200).end();
});

async function newWebhook(path: string, fields: Record<string, unknown> = {}): Promise<string> {
  return (await registerWebhook(service, { url: `${receiver.url}${path}`, ...fields })).uid;
}

const report = (n: number): Promise<string> => reportChange(service, { uid: `agt_${n}` });

function arrivedAt(path: string): string[] {
  return receiver.requests
    .filter((request) => request.path === path)
    .map((request) => String(request.headers['webhook-id']));
}

async function untilCount(webhookUid: string, state: DeliveryState, count: number): Promise<void> {
  await waitFor(
    async () => (await service.store.deliveries.countDocuments({ webhookUid, state })) === count,
    { what: `${count} deliveries ${state}` },
  );
}

const untilHeld = (webhookUid: string, count: number) => untilCount(webhookUid, 'held', count);

const pause = (uid: string) =>
  service.call('PATCH', `/webhooks/${uid}`, { body: { active: false } });
const resume = (uid: string) =>
  service.call('PATCH', `/webhooks/${uid}`, { body: { active: true } });

/** Leaves the start of jobs to the relay until the returned spy is restored. */
function startNoJob() {
  return jest.spyOn(service.context.starter, 'addJob').mockReturnValue();
}

test('a resend to a paused webhook is shown as held, and sent when the webhook is resumed', async () => {
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
  await waitFor(() => arrivedAt('/resent').length === 2);
  expect(arrivedAt('/resent')).toEqual([eventId, eventId]);
  const again = await service.call('POST', `/events/${eventId}/resend`, {
    body: { webhookUids: [uid] },
  });
  expect(again.body).toMatchObject({ pausedWebhookUids: [] });
});

test('a webhook that is resumed, paused and resumed again gets each event once', async () => {
  const path = '/toggled';
  const uid = await newWebhook(path);
  await pause(uid);
  const eventIds = await Promise.all(Array.from({ length: 45 }, (_, n) => report(n)));
  await untilHeld(uid, 45);
  for (const change of [resume, pause, resume, pause, resume]) await change(uid);
  await untilCount(uid, 'delivered', 45);
  expect(arrivedAt(path).toSorted()).toEqual(eventIds.toSorted());
});

test('a resume does not change when a retry is due', async () => {
  const path = '/not-due';
  const uid = await newWebhook(path, { retrySchedule: ['1h'] });
  failing.add(path);
  const eventId = await report(1);
  await untilCount(uid, 'retrying', 1);
  const before = await service.store.deliveries.findOne({ eventId, webhookUid: uid });
  await pause(uid);
  const held = await report(2);
  await untilHeld(uid, 1);
  await resume(uid);
  await waitFor(() => arrivedAt(path).includes(held));
  expect(await service.store.deliveries.findOne({ eventId, webhookUid: uid })).toEqual(before);
});

test('deleting a webhook cancels its open deliveries, even if only the relay starts the job', async () => {
  for (const isStarted of [true, false]) {
    const path = `/deleted-${isStarted}`;
    const uid = await newWebhook(path, { retrySchedule: ['1h'] });
    failing.add(path);
    await report(1);
    await untilCount(uid, 'retrying', 1);
    await pause(uid);
    await report(2);
    await untilHeld(uid, 1);
    const unstarted = isStarted ? null : startNoJob();
    expect((await service.call('DELETE', `/webhooks/${uid}`)).status).toBe(204);
    unstarted?.mockRestore();
    await untilCount(uid, 'cancelled', 2);
    expect(arrivedAt(path)).toHaveLength(1);
  }
});
