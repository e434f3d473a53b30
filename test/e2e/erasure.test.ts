// The payloads of one tenant or one user are taken away on request, wherever they are.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addApp } from '../support/add-app.ts';
import { newId } from '../../lib/ids.ts';
import {
  eraseWorkflow,
  eraseWorkflowId,
  eventsTaskQueue,
  tidyUpWorkflow,
} from '../../lib/temporal/names.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { startReceiver } from '../support/receivers.ts';
import type { Receiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';
import { expectProblem } from '../integration/api/problems.ts';

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  // It repeats what it was sent, as careless receivers do.
  receiver = await startReceiver((response, request) => {
    response.writeHead(request.path === '/down' ? 500 : 200).end(request.body);
  });
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const report = (data: Record<string, unknown>): Promise<string> =>
  reportChange(service, { externalTenantId: 'kept', ...data });

async function erase(body: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { status, body: asked } = await service.call('POST', '/erasures', { body });
  expect(status).toBe(202);
  expect(asked['state']).toBe('running');
  const uid = String(asked['uid']);
  await untilLookedOnce(uid);
  await makeDue(uid);
  await workOn(uid);
  const { body: done } = await service.call('GET', `/erasures/${uid}`);
  expect(done['state']).toBe('done');
  return done;
}

async function untilLookedOnce(uid: string): Promise<void> {
  const lookedOnce = { _id: uid, againAt: { $ne: null } };
  await waitFor(async () => (await service.store.erasures.countDocuments(lookedOnce)) === 1, {
    what: 'the end of the first look',
  });
}

/** The second look comes minutes after the first, unless it is said to be due. */
async function makeDue(uid: string): Promise<void> {
  await service.store.erasures.updateOne({ _id: uid }, { $set: { againAt: new Date() } });
}

/** Runs the erasure's workflow once more, beside the one that sleeps until the second look. */
async function workOn(uid: string): Promise<unknown> {
  const options = { taskQueue: eventsTaskQueue, workflowId: `again/${uid}`, args: [uid] };
  return service.temporal.client.workflow.execute(eraseWorkflow, options);
}

/** Runs what the schedule starts each hour. */
async function tidyUpNow(): Promise<unknown> {
  const options = { taskQueue: eventsTaskQueue, workflowId: newId('bat'), args: [] };
  return service.temporal.client.workflow.execute(tidyUpWorkflow, options);
}

async function askFor(tenant: string): Promise<string> {
  const body = { externalTenantId: tenant };
  return String((await service.call('POST', '/erasures', { body })).body['uid']);
}

async function stateOf(uid: string): Promise<unknown> {
  return (await service.call('GET', `/erasures/${uid}`)).body['state'];
}

const payloadOf = async (eventId: string): Promise<unknown> =>
  (await service.call('GET', `/events/${eventId}`)).body['payload'];

const untilDelivered = (eventIds: string[]) =>
  waitFor(async () => {
    const settled = { eventId: { $in: eventIds }, attemptCount: { $gt: 0 } };
    return (await service.store.deliveries.countDocuments(settled)) === eventIds.length;
  });

test("a tenant's payloads go, with what receivers answered; other tenants' and later ones stay", async () => {
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

test('what mentions a user as a whole value goes, however it is spelled, and nothing else', async () => {
  const name = 'ada "the (first)" <ada@example.com>\\';
  const inside = await report({ people: [{ owner: name }] });
  const longer = await report({ owner: `${name} and more` });
  const shorter = await report({ owner: 'ada' });
  const pattern = await report({ owner: 'adaXexample' });
  const result = await erase({ mentions: [name, 'ada.example'] });
  expect(result).toMatchObject({ erasedCount: 1 });
  expect(await payloadOf(inside)).toBeNull();
  for (const kept of [longer, shorter, pattern]) expect(await payloadOf(kept)).not.toBeNull();
  // Whom it was about is forgotten.
  expect(JSON.stringify(await service.store.erasures.find().toArray())).not.toContain('ada@');
});

test('a text goes however the platform spelled it in its JSON', async () => {
  const data = String.raw`{"uid":"spelled","externalTenantId":"kept","owner":"Ren\u00e9 a\/b"}`;
  const answer = await fetch(`${service.apiUrl}/api/v1/appuid/${service.app.appUid}/changes`, {
    method: 'POST',
    headers: { 'x-api-key': service.app.apiKey, 'content-type': 'application/json' },
    body: `{"event":"agent.updated","data":${data}}`,
  });
  expect(answer.status).toBe(202);
  const { eventId } = (await answer.json()) as { eventId: string };
  await erase({ mentions: ['René a/b'] });
  expect(await payloadOf(eventId)).toBeNull();
});

test('deliveries that are still to be made are cancelled, and nothing of them is sent again', async () => {
  const webhook = await insertWebhook(service, {
    url: `${receiver.url}/down`,
    // Late enough for the erasure to be done before.
    retryScheduleMs: [15_000, 3_600_000],
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
  expect(replay.body).toEqual({ dryRun: true, count: 0, countIsCapped: false });
  // Its workflow finds the delivery settled when the retry comes due.
  const handle = service.temporal.client.workflow.getHandle(`event/${eventId}`);
  await handle.result();
  expect((await service.store.deliveries.findOne({ eventId }))?.attemptCount).toBe(1);
  await service.store.webhooks.deleteOne({ _id: webhook._id });
});

test('an event whose payload is gone before its first attempt is not sent', async () => {
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
    return resumed?.resumedAt === null;
  });
  expect((await service.store.deliveries.findOne({ eventId }))?.state).toBe('cancelled');
  expect(receiver.requests.length).toBe(before);
  await service.store.webhooks.deleteOne({ _id: webhook._id });
});

test('the workflow of an erasure ends with it, though another erasure still waits', async () => {
  const [asked, waiting] = [await askFor('tenant-asked'), await askFor('tenant-waiting')];
  for (const uid of [asked, waiting]) await untilLookedOnce(uid);
  await makeDue(asked);
  expect(await workOn(asked)).toBe(0);
  expect([await stateOf(asked), await stateOf(waiting)]).toEqual(['done', 'running']);
  const its = service.temporal.client.workflow.getHandle(eraseWorkflowId(waiting));
  expect((await its.describe()).status.name).toBe('RUNNING');
});

test('an erasure whose workflow was lost is finished by hourly runs, which wait for none', async () => {
  const eventId = await report({ externalTenantId: 'tenant-lost' });
  const uid = await askFor('tenant-lost');
  await untilLookedOnce(uid);
  await service.temporal.client.workflow.getHandle(eraseWorkflowId(uid)).terminate();
  // As if it had been lost before the first look.
  await service.store.erasures.updateOne({ _id: uid }, { $set: { after: '', againAt: null } });
  await tidyUpNow();
  expect(await payloadOf(eventId)).toBeNull();
  expect(await service.store.erasures.findOne({ _id: uid, againAt: null })).toBeNull();
  expect(await stateOf(uid)).toBe('running');
  await makeDue(uid);
  await tidyUpNow();
  expect(await stateOf(uid)).toBe('done');
});

test.each([
  [{}],
  [{ externalTenantId: 'a', mentions: ['b'] }],
  [{ externalTenantId: '' }],
  [{ externalTenantId: 'x'.repeat(257) }],
  [{ mentions: [] }],
  [{ mentions: ['a', 'a'] }],
  [{ mentions: Array.from({ length: 11 }, (_, n) => `user-${n}`) }],
  [{ mentions: [{ $gt: '' }] }],
])('the erasure %j is refused', async (body) => {
  const before = await service.store.erasures.countDocuments();
  expectProblem(await service.call('POST', '/erasures', { body }), 400, 'invalid_request');
  expect(await service.store.erasures.countDocuments()).toBe(before);
});

test("another application's erasure is not found", async () => {
  const other = await addApp(service);
  const { body } = await other.call('POST', '/erasures', { body: { externalTenantId: 'theirs' } });
  const path = `/erasures/${String(body['uid'])}`;
  expect((await other.call('GET', path)).status).toBe(200);
  expectProblem(await service.call('GET', path), 404, 'not_found');
});
