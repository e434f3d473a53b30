// Resends of one event, and replays of a period.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { timeOfId } from '../../lib/platform/ids.ts';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { addApp } from '../support/add-app.ts';
import type { Answer } from '../support/api-client.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { expectProblem, faultsOf, itemsOf } from '../integration/api/problems.ts';

let service: TestService;
let receiver: Receiver;
/** The response statuses of paths; 200 by default. */
const statuses = new Map<string, number>();

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response, request) => {
    response.writeHead(statuses.get(request.path) ?? 200).end();
  });
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

interface Hook {
  uid: string;
  secret: string;
  path: string;
}

async function newHook(path: string, fields: Record<string, unknown> = {}): Promise<Hook> {
  const url = `${receiver.url}${path}`;
  return { ...(await registerWebhook(service, { url, retrySchedule: [], ...fields })), path };
}

const report = (externalTenantId = 'tenant-1', event = 'agent.updated'): Promise<string> =>
  reportChange(service, { externalTenantId }, event);

function requestsOf({ path }: Hook, eventId?: string): ReceivedRequest[] {
  return receiver.requests.filter(
    (request) =>
      request.path === path && (eventId === undefined || request.headers['webhook-id'] === eventId),
  );
}

async function untilState(eventId: string, { uid }: Hook, state: DeliveryState): Promise<void> {
  await waitFor(
    async () =>
      (await service.store.deliveries.countDocuments({ eventId, webhookUid: uid, state })) === 1,
    { what: `${eventId} ${state}` },
  );
}

async function remove(...hooks: Hook[]): Promise<void> {
  for (const { uid } of hooks) await service.call('DELETE', `/webhooks/${uid}`);
}

const resend = (eventId: string, body: unknown = {}): Promise<Answer> =>
  service.call('POST', `/events/${eventId}/resend`, { body });
const replay = ({ uid }: Hook, body: unknown): Promise<Answer> =>
  service.call('POST', `/webhooks/${uid}/replays`, { body });

async function untilDone({ uid }: Hook, answer: Answer): Promise<Answer> {
  const path = `/webhooks/${uid}/replays/${String(answer.body['uid'])}`;
  return waitFor(
    async () => {
      const replayed = await service.call('GET', path);
      return String(replayed.body['state']) !== 'running' && replayed;
    },
    { what: 'the end of the replay' },
  );
}

test('a resend of an exhausted delivery has the same bytes and id, a new timestamp and the next attempt number', async () => {
  const hook = await newHook('/exhausted');
  statuses.set(hook.path, 500);
  const eventId = await report();
  await untilState(eventId, hook, 'exhausted');
  statuses.delete(hook.path);

  const answer = await resend(eventId);
  expect(answer.status).toBe(202);
  expect(answer.body).toMatchObject({ eventId, webhookUids: [hook.uid] });
  await untilState(eventId, hook, 'delivered');
  const [first, second, ...more] = requestsOf(hook, eventId);
  if (first === undefined || second === undefined) throw new Error('two requests were expected');
  expect(more).toEqual([]);
  expect(second.body.equals(first.body)).toBe(true);
  const digest = createHmac('sha256', hook.secret).update(second.body).digest('hex');
  expect(second.headers['x-webhook-signature']).toBe(`sha256=${digest}`);
  new Webhook(hook.secret).verify(second.body, second.headers as Record<string, string>);
  expect(
    String(second.headers['x-webhook-timestamp']) > String(first.headers['x-webhook-timestamp']),
  ).toBe(true);
  expect(second.headers['x-webhook-attempt']).toBe('2');
  const shown = itemsOf(await service.call('GET', `/events/${eventId}/deliveries`));
  const attempts = shown.find((each) => String(each['webhookUid']) === hook.uid)?.['attempts'];
  expect(attempts).toMatchObject([{ trigger: 'event' }, { trigger: 'resend' }]);
  await remove(hook);
});

test('a delivered event is resent only to the webhooks that the request names', async () => {
  const [one, other, late] = [
    await newHook('/one'),
    await newHook('/other'),
    await newHook('/late', { events: ['agent.created'] }),
  ];
  const eventId = await report();
  await Promise.all([
    untilState(eventId, one, 'delivered'),
    untilState(eventId, other, 'delivered'),
  ]);
  await resend(eventId, { webhookUids: [one.uid, late.uid] });
  await waitFor(
    () => requestsOf(one, eventId).length === 2 && requestsOf(late, eventId).length === 1,
  );
  expect(requestsOf(other, eventId)).toHaveLength(1);
  await remove(one, other, late);
});

test('a resend of a delivery that waits for its retry is sent immediately and replaces the retry', async () => {
  const hook = await newHook('/waiting', { retrySchedule: ['6s'] });
  statuses.set(hook.path, 500);
  const eventId = await report();
  await untilState(eventId, hook, 'retrying');
  statuses.delete(hook.path);
  await resend(eventId);
  await untilState(eventId, hook, 'delivered');
  const event = await service.store.events.findOne({ _id: eventId });
  // The event's own workflow ends when its retry is due and the delivery has another owner.
  await service.temporal.client.workflow.getHandle(event?.workflowId ?? '').result();
  expect(requestsOf(hook, eventId)).toHaveLength(2);
  await remove(hook);
});

test('a replay sends failed deliveries, never attempted ones on request, and no delivered ones', async () => {
  const hook = await newHook('/replayed');
  const since = new Date();
  const arrived = await report();
  await untilState(arrived, hook, 'delivered');
  statuses.set(hook.path, 500);
  const failed = [await report(), await report()];
  for (const eventId of failed) await untilState(eventId, hook, 'exhausted');
  statuses.delete(hook.path);
  await service.call('PATCH', `/webhooks/${hook.uid}`, { body: { events: ['agent.created'] } });
  const missed = await report();
  await service.call('PATCH', `/webhooks/${hook.uid}`, { body: { events: null } });

  const time = { since: since.toISOString() };
  expect((await replay(hook, { ...time, dryRun: true })).body['count']).toBe(2);
  const range = { ...time, states: ['exhausted', 'never_attempted'] };
  expect((await replay(hook, { ...range, dryRun: true })).body).toEqual({
    dryRun: true,
    count: 3,
    countIsCapped: false,
    states: [
      { state: 'exhausted', cancelReason: null, count: 2 },
      { state: 'never_attempted', cancelReason: null, count: 1 },
    ],
    webhooks: [{ webhookUid: hook.uid, count: 3 }],
  });
  const before = requestsOf(hook).length;
  const started = await replay(hook, range);
  expect(started.status).toBe(202);
  const done = await untilDone(hook, started);
  expect(done.body).toMatchObject({ state: 'done', releasedCount: 3, webhookUid: hook.uid });
  expect(done.body['reachedAt']).toBe(timeOfId(missed).toISOString());
  await waitFor(() => requestsOf(hook).length === before + 3);
  const sent = requestsOf(hook)
    .slice(before)
    .map((request) => String(request.headers['webhook-id']));
  expect(new Set(sent)).toEqual(new Set([...failed, missed]));
  expect((await replay(hook, { ...range, dryRun: true })).body['count']).toBe(0);
  const listed = itemsOf(await service.call('GET', `/webhooks/${hook.uid}/replays`));
  expect(listed.map((each) => each['uid'])).toEqual([started.body['uid']]);
  await remove(hook);
});

test('a replay of the application sends the failures of all its webhooks, each once', async () => {
  const hooks = [await newHook('/failed-a'), await newHook('/failed-b')];
  const since = new Date().toISOString();
  for (const { path } of hooks) statuses.set(path, 500);
  const eventId = await report();
  for (const hook of hooks) await untilState(eventId, hook, 'exhausted');
  for (const { path } of hooks) statuses.delete(path);
  const started = await service.call('POST', '/replays', { body: { since } });
  for (const hook of hooks) await untilState(eventId, hook, 'delivered');
  const done = await service.call('GET', `/replays/${String(started.body['uid'])}`);
  expect(done.body).toMatchObject({
    state: 'done',
    releasedCount: 2,
    webhooks: hooks.map(({ uid }) => ({ webhookUid: uid, releasedCount: 1 })),
  });
  expect(hooks.map((hook) => requestsOf(hook, eventId).length)).toEqual([2, 2]);
  await remove(...hooks);
});

test('a recovery sends only the exhausted deliveries of its webhook', async () => {
  const [hook, other] = [await newHook('/recovered'), await newHook('/left-alone')];
  const since = new Date().toISOString();
  for (const { path } of [hook, other]) statuses.set(path, 500);
  const eventId = await report();
  for (const each of [hook, other]) await untilState(eventId, each, 'exhausted');
  statuses.delete(hook.path);
  await service.call('POST', `/webhooks/${hook.uid}/recover`, { body: { since } });
  await untilState(eventId, hook, 'delivered');
  expect(requestsOf(other, eventId)).toHaveLength(1);
  await remove(hook, other);
});

test('a replay that includes retrying deliveries sends one that lost its workflow', async () => {
  const hook = await newHook('/lost', { retrySchedule: ['1h'] });
  const since = new Date().toISOString();
  statuses.set(hook.path, 500);
  const eventId = await report();
  await untilState(eventId, hook, 'retrying');
  // The first attempt may fail before the workflow has started.
  const event = await waitFor(async () => {
    const found = { _id: eventId, dispatchedAt: { $ne: null } };
    return (await service.store.events.findOne(found)) ?? undefined;
  });
  await service.temporal.client.workflow.getHandle(event.workflowId ?? '').terminate('lost');
  statuses.delete(hook.path);
  expect((await untilDone(hook, await replay(hook, { since }))).body['releasedCount']).toBe(0);
  const states = ['retrying', 'pending'];
  const done = await untilDone(hook, await replay(hook, { since, states }));
  expect(done.body).toMatchObject({ states, releasedCount: 1 });
  await untilState(eventId, hook, 'delivered');
  await remove(hook);
});

test('a replay sends only events of its period, names and states that the webhook subscribes to', async () => {
  const hook = await newHook('/bounded', { externalTenantIds: ['tenant-a'] });
  const before = await report('tenant-a');
  await untilState(before, hook, 'delivered');
  const since = new Date(Date.now() + 1);
  await waitFor(() => new Date() > since);
  const updated = await report('tenant-a');
  const created = await report('tenant-a', 'agent.created');
  const foreign = await report('tenant-b');
  await Promise.all([updated, created].map((eventId) => untilState(eventId, hook, 'delivered')));
  const body = {
    since: since.toISOString(),
    states: ['delivered', 'never_attempted'],
    events: ['agent.updated'],
  };
  await untilDone(hook, await replay(hook, body));
  await waitFor(() => requestsOf(hook, updated).length === 2);
  expect([before, created, foreign].map((eventId) => requestsOf(hook, eventId).length)).toEqual([
    1, 1, 0,
  ]);
  await remove(hook);
});

test('a skipped delivery ends its workflow, which would otherwise wait for the retry', async () => {
  const hook = await newHook('/given-up');
  await service.call('PATCH', `/webhooks/${hook.uid}`, { body: { retrySchedule: ['1h'] } });
  statuses.set(hook.path, 500);
  const eventId = await report();
  await untilState(eventId, hook, 'retrying');
  const skipped = await service.call('POST', `/events/${eventId}/deliveries/${hook.uid}/cancel`);
  expect(skipped.body).toMatchObject({ state: 'cancelled', cancelReason: 'skipped' });
  const { body } = await service.call('GET', `/events/${eventId}/deliveries/${hook.uid}`);
  const handle = service.temporal.client.workflow.getHandle(String(body['workflowId']));
  const isOver = async () => (await handle.describe()).status.name !== 'RUNNING';
  await waitFor(isOver, { what: 'the end of the workflow' });
  expect(requestsOf(hook, eventId)).toHaveLength(1);
  await remove(hook);
});

test('a cancelled replay enqueues nothing more and is shown as cancelled', async () => {
  const hook = await newHook('/cancelled');
  const since = new Date();
  statuses.set(hook.path, 500);
  const eventIds = await Promise.all(Array.from({ length: 6 }, () => report()));
  for (const eventId of eventIds) await untilState(eventId, hook, 'exhausted');
  const before = requestsOf(hook).length;
  const started = await replay(hook, { since: since.toISOString(), perSecond: 1 });
  await waitFor(() => requestsOf(hook).length > before);
  const path = `/webhooks/${hook.uid}/replays/${String(started.body['uid'])}`;
  const cancelled = await service.call('POST', `${path}/cancel`);
  expect(cancelled.body).toMatchObject({ state: 'cancelled', finishedAt: expect.any(String) });
  const handle = service.temporal.client.workflow.getHandle(`job/${String(started.body['uid'])}`);
  await handle.result();
  const { body } = await service.call('POST', `${path}/cancel`);
  expect(body['state']).toBe('cancelled');
  expect(body['releasedCount']).toBeLessThan(6);
  await remove(hook);
});

test("another application's event, webhook or replay is not found, and no job is created", async () => {
  const stranger = await addApp(service);
  const hook = await newHook('/mine');
  const eventId = await report();
  await untilState(eventId, hook, 'delivered');
  const count = await service.store.jobs.countDocuments();
  const since = new Date(0).toISOString();
  const calls: [string, string, unknown][] = [
    ['POST', `/events/${eventId}/resend`, {}],
    ['POST', `/events/${eventId}/deliveries/${hook.uid}/cancel`, undefined],
    ['GET', `/events/${eventId}/webhooks`, undefined],
    ['POST', `/webhooks/${hook.uid}/replays`, { since }],
    ['GET', `/webhooks/${hook.uid}/replays`, undefined],
    ['POST', `/webhooks/${hook.uid}/test`, {}],
    ['GET', `/webhooks/${hook.uid}/deliveries`, undefined],
  ];
  for (const [method, path, body] of calls) {
    const answer = await stranger.call(method, path, body === undefined ? {} : { body });
    expectProblem(answer, 404, 'not_found');
  }
  const refused = await resend(eventId, { webhookUids: ['whk_elsewhere'] });
  expectProblem(refused, 422, 'unknown_webhook_uids');
  expect(faultsOf(refused)).toEqual(['#/webhookUids/0 unknown_webhook']);
  expect(await service.store.jobs.countDocuments()).toBe(count);
  await remove(hook);
});
