// Resends of one event, replays of a period, and tests with a test event or the sample of another event.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import type { Answer } from '../support/api-client.ts';
import { payloadFaults } from '../support/payload-schema.ts';
import type { ReceivedRequest } from '../support/receivers.ts';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { expectProblem, itemsOf } from '../integration/api/problems.ts';

/** The response statuses of paths; 200 by default. */
const statuses = new Map<string, number>();

const service = useService();
const receiver = useReceiver((response, request) => {
  response.writeHead(statuses.get(request.path) ?? 200).end();
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

test('a recovery that names the waiting deliveries sends them now, even one that lost its workflow', async () => {
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
  const recover = (fields: object): Promise<Answer> =>
    service.call('POST', `/webhooks/${hook.uid}/recover`, { body: { since, ...fields } });
  expect((await untilDone(hook, await recover({}))).body['releasedCount']).toBe(0);
  const states = ['exhausted', 'retrying', 'held'];
  const waiting = await service.store.deliveries.findOne({ eventId, webhookUid: hook.uid });
  const nextAttemptAt = waiting?.nextAttemptAt?.toISOString();
  const counted = await recover({ states, dryRun: true });
  expect(counted.body).toMatchObject({ count: 1, nextAttemptAt });
  const done = await untilDone(hook, await recover({ states }));
  expect(done.body).toMatchObject({ states, releasedCount: 1 });
  await untilState(eventId, hook, 'delivered');
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

/** Sends a test. Returns the first request with its event. */
async function tested(hook: Hook, body: unknown) {
  const answer = await service.call('POST', `/webhooks/${hook.uid}/test`, { body });
  expect(answer.status).toBe(202);
  const eventId = String(answer.body['eventId']);
  const isDelivered = { eventId, webhookUid: hook.uid, state: 'delivered' } as const;
  await waitFor(async () => (await service.store.deliveries.countDocuments(isDelivered)) === 1);
  const [request] = requestsOf(hook);
  const headers = (request?.headers ?? {}) as Record<string, string>;
  const payload = new Webhook(hook.secret).verify(request?.body ?? '', headers);
  return { answer, eventId, headers, payload: payload as { event: string } };
}

async function listedIds(): Promise<unknown[]> {
  const events = itemsOf(await service.call('GET', '/events?limit=200'));
  return events.map((event) => event['eventId']);
}

test('a test event is signed, marked, sent once to one webhook only, and not listed as a change', async () => {
  const hook = await newHook('/tested', { events: ['agent.deleted'] });
  const other = await newHook('/not-tested', { retrySchedule: ['1h'] });
  const { eventId, headers, payload } = await tested(hook, {});
  const data = { uid: hook.uid, test: true };
  expect(payload).toMatchObject({ eventId, event: 'webhook.test', test: true, data });
  expect(payloadFaults(payload)).toEqual([]);
  expect(headers).toMatchObject({ 'x-webhook-test': 'true' });
  expect(requestsOf(other)).toEqual([]);
  expect(await listedIds()).not.toContain(eventId);
  await service.call('PATCH', `/webhooks/${hook.uid}`, { body: { active: false } });
  const refused = await service.call('POST', `/webhooks/${hook.uid}/test`, { body: {} });
  expectProblem(refused, 409, 'conflict');
  statuses.set(other.path, 500);
  const failed = await service.call('POST', `/webhooks/${other.uid}/test`, { body: {} });
  await untilState(String(failed.body['eventId']), other, 'exhausted');
  // It lost nothing, so it does not help to deactivate the webhook.
  const webhook = await service.store.webhooks.findOne({ _id: other.uid });
  expect(webhook).toMatchObject({ lastExhaustedAt: null, failingSince: expect.any(Date) });
});

test('the sample of an event is sent as a test: in no list, order or replay of events', async () => {
  const hook = await newHook('/sampled', { entities: ['context'], ordering: 'resource' });
  const since = new Date().toISOString();
  const { answer, eventId, headers, payload } = await tested(hook, { event: 'agent.deleted' });
  expect(answer.body).toMatchObject({ event: 'agent.deleted', webhookUid: hook.uid });
  expect(payload).toMatchObject({ eventId, event: 'agent.deleted', test: true });
  expect(payloadFaults(payload)).toEqual([]);
  expect(headers).toMatchObject({ 'x-webhook-test': 'true' });
  expect(headers['x-webhook-sequence']).toBeUndefined();
  expect(payload).not.toHaveProperty('sequence');
  expect(await listedIds()).not.toContain(eventId);
  await service.call('PATCH', `/webhooks/${hook.uid}`, { body: { entities: ['agent'] } });
  const states = ['delivered', 'never_attempted'];
  const dryRun = { since, states, events: ['agent.deleted'], dryRun: true };
  const counted = await service.call('POST', `/webhooks/${hook.uid}/replays`, { body: dryRun });
  expect(counted.body['count']).toBe(0);
});
