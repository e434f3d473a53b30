// An erasure deletes the payloads of one tenant or one user, wherever they are stored.
import { systemClock } from '../../lib/platform/clock.ts';
import { takeJobPage } from '../../lib/jobs/job-pages.ts';
import { minuteMs } from '../../lib/platform/duration.ts';
import { jobWorkflowId } from '../../lib/temporal/names.ts';
import { noSignals } from '../support/delivery-ports.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';
import { expectProblem } from '../integration/api/problems.ts';

const service = useService();

// It responds with the payload, as careless receivers do.
const receiver = useReceiver((response, request) => {
  response.writeHead(request.path === '/down' ? 500 : 200).end(request.body);
});

const report = (data: Record<string, unknown>): Promise<string> =>
  reportChange(service, { externalTenantId: 'kept', ...data });

async function erase(body: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { status, body: asked } = await service.call('POST', '/erasures', { body });
  expect(status).toBe(202);
  expect(asked['state']).toBe('running');
  const uid = String(asked['uid']);
  await untilFirstPass(uid);
  await makeSecondPass(uid);
  const { body: done } = await service.call('GET', `/erasures/${uid}`);
  expect(done['state']).toBe('done');
  return done;
}

async function untilFirstPass(uid: string): Promise<void> {
  await waitFor(
    async () => (await service.store.jobs.countDocuments({ _id: uid, page: 1 })) === 1,
    {
      what: 'the end of the first pass',
    },
  );
}

/** Runs the second pass, for which the workflow would wait 5 minutes. */
async function makeSecondPass(jobUid: string): Promise<void> {
  const { store, config } = service;
  const ports = { store, clock: systemClock, ...noSignals, retention: config.retention };
  await takeJobPage(ports, { jobUid, page: 2 });
}

const payloadOf = async (eventId: string): Promise<unknown> =>
  (await service.call('GET', `/events/${eventId}`)).body['payload'];

const untilDelivered = (eventIds: string[]) =>
  waitFor(async () => {
    const settled = { eventId: { $in: eventIds }, attemptCount: { $gt: 0 } };
    return (await service.store.deliveries.countDocuments(settled)) === eventIds.length;
  });

test("an erasure deletes a tenant's payloads and receivers' responses, and keeps later ones and those of other tenants", async () => {
  const webhook = await insertWebhook(service, { url: `${receiver.url}/200` });
  const gone = await report({ externalTenantId: 'tenant-gone', note: 'private' });
  const kept = await report({ externalTenantId: 'tenant-gone-too', note: 'private' });
  await untilDelivered([gone, kept]);
  expect(await erase({ externalTenantId: 'tenant-gone' })).toMatchObject({ erasedCount: 1 });
  const later = await report({ externalTenantId: 'tenant-gone', note: 'later' });

  expect(await payloadOf(gone)).toBeNull();
  expect(await payloadOf(kept)).toMatchObject({ data: { note: 'private' } });
  expect(await payloadOf(later)).toMatchObject({ data: { note: 'later' } });
  const stored = await service.store.deliveries.findOne({ eventId: gone });
  expect(stored?.attempts.map((attempt) => attempt.responseSample)).toEqual(['']);
  expect(stored?.state).toBe('delivered');
  await service.store.webhooks.deleteOne({ _id: webhook._id });
});

test('an erasure cancels open deliveries, and their events cannot be sent again', async () => {
  const webhook = await insertWebhook(service, {
    url: `${receiver.url}/down`,
    // Late enough that the erasure is done first.
    retryScheduleMs: [6_000, 3_600_000],
  });
  const eventId = await report({ externalTenantId: 'tenant-down' });
  await untilDelivered([eventId]);
  await erase({ externalTenantId: 'tenant-down' });
  const delivery = await service.store.deliveries.findOne({ eventId });
  expect(delivery?.state).toBe('cancelled');
  const resend = await service.call('POST', `/events/${eventId}/resend`, { body: {} });
  expectProblem(resend, 409, 'conflict');
  const dryRun = { since: '2026-01-01T00:00:00Z', states: ['cancelled'], dryRun: true };
  const replay = await service.call('POST', `/webhooks/${webhook._id}/replays`, { body: dryRun });
  expect(replay.body).toMatchObject({ dryRun: true, count: 0, countIsCapped: false });
  // Its workflow finds the delivery settled when the retry is due.
  const handle = service.temporal.client.workflow.getHandle(`agent.updated/${eventId}`);
  await handle.result();
  expect((await service.store.deliveries.findOne({ eventId }))?.attemptCount).toBe(1);
  await service.store.webhooks.deleteOne({ _id: webhook._id });
});

test('an event that is erased before its first attempt is not sent', async () => {
  const webhook = await insertWebhook(service, { url: `${receiver.url}/200`, active: false });
  const eventId = await report({ externalTenantId: 'tenant-held' });
  await waitFor(
    async () => (await service.store.deliveries.findOne({ eventId }))?.state === 'held',
  );
  await erase({ externalTenantId: 'tenant-held' });
  const before = receiver.requests.length;
  await service.call('PATCH', `/webhooks/${webhook._id}`, { body: { active: true } });
  await waitFor(async () => {
    const resumed = await service.store.webhooks.findOne({ _id: webhook._id });
    const release = await service.store.jobs.findOne({ _id: resumed?.releaseUid ?? '' });
    return release?.page === 1;
  });
  expect((await service.store.deliveries.findOne({ eventId }))?.state).toBe('cancelled');
  expect(receiver.requests.length).toBe(before);
  await service.store.webhooks.deleteOne({ _id: webhook._id });
});

test('the workflow of an erasure waits 5 minutes before its second pass', async () => {
  const body = { externalTenantId: 'tenant-asked' };
  const uid = String((await service.call('POST', '/erasures', { body })).body['uid']);
  const handle = service.temporal.client.workflow.getHandle(jobWorkflowId(uid));
  const waitMs = await waitFor(async () => {
    // It may not have started yet.
    const { events } = await handle.fetchHistory().catch(() => ({ events: [] }));
    const timers = events?.flatMap((event) => event.timerStartedEventAttributes ?? []) ?? [];
    return timers.length > 0 && 1_000 * Number(timers[0]?.startToFireTimeout?.seconds);
  });
  expect(waitMs).toBe(5 * minuteMs);
  expect((await service.call('GET', `/erasures/${uid}`)).body['state']).toBe('running');
});
