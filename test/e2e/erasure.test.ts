// An erasure deletes the payloads of one tenant or one user, wherever they are stored.
import { minuteMs } from '../../lib/platform/duration.ts';
import { takeJobPage } from '../../lib/jobs/take-job-page.ts';
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
  const { store, config } = service;
  const { status, body: asked } = await service.call('POST', '/erasures', { body });
  expect([status, asked['state']]).toEqual([202, 'running']);
  const uid = String(asked['uid']);
  const isFirstDone = async () => (await store.jobs.countDocuments({ _id: uid, page: 1 })) === 1;
  await waitFor(isFirstDone, { what: 'the end of the first pass' });
  // The second pass, for which the workflow waits 5 minutes.
  const clock = { now: () => new Date(Date.now() + 6 * minuteMs) };
  const ports = { store, clock, ...noSignals, ...config };
  await takeJobPage(ports, { jobUid: uid, page: 2 });
  const { body: done } = await service.call('GET', `/erasures/${uid}`);
  expect(done['state']).toBe('done');
  return done;
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
  // Its workflow finds the delivery settled when the retry is due.
  const handle = service.temporal.client.workflow.getHandle(`agent.updated/${eventId}`);
  await handle.result();
  expect((await service.store.deliveries.findOne({ eventId }))?.attemptCount).toBe(1);
  await service.store.webhooks.deleteOne({ _id: webhook._id });
});
