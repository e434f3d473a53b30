// Webhooks and their secrets; and deliveries in each of their states, to webhooks with a tenant each, so that they get only
// their own events.
import { closedPort } from '../support/receivers.ts';
import { has, isFirst, type Stage } from './stage.ts';
import type { Answer } from './recorder.ts';

/** A webhook and the tenant whose events it gets. */
export interface Subscription {
  tenant: string;
  webhook: string;
  webhookUid: string;
}

/** Registers a webhook at `path` of the receiver, or at a URL, for the events of a tenant. */
export async function subscribe(
  { prepare, receiver }: Stage,
  [tenant, path]: readonly [string, string],
  fields: Record<string, unknown> = {},
): Promise<Subscription> {
  const url = path.startsWith('/') ? receiver.url + path : path;
  const body = { url, entities: ['agent'], externalTenantIds: [tenant], ...fields };
  const { uid } = await prepare('POST …/webhooks', { body });
  return { tenant, webhook: `…/webhooks/${uid}`, webhookUid: String(uid) };
}

/** Reports a change of an agent of the tenant; returns the path of its event. */
export async function report({ prepare }: Stage, tenant: string): Promise<string> {
  const data = { uid: 'bot-1', externalTenantId: tenant };
  const { eventId } = await prepare('POST …/changes', { body: { event: 'agent.updated', data } });
  return `…/events/${eventId}`;
}

/** Waits until the delivery of an event is in a state, and records the list of deliveries. */
export async function becomes({ call }: Stage, event: string, state: string): Promise<void> {
  await call(`a delivery that is ${state}`, `GET ${event}/deliveries`, { until: isFirst(state) });
}

/** Plays deliveries. */
export async function playDeliveries(stage: Stage): Promise<void> {
  await playAnswers(stage);
  await playPause(stage);
  await playSkip(stage);
  await playDiscard(stage);
  await playOrder(stage);
  await playStatistics(stage);
}

async function playAnswers(stage: Stage): Promise<void> {
  const { call, receiver } = stage;
  const late = await subscribe(stage, ['late', '/later']);
  const event = await report(stage, late.tenant);
  await becomes(stage, event, 'pending');
  receiver.answerLater();
  await becomes(stage, event, 'delivered');
  await call('shows an event', `GET ${event}`);
  await call('explains which webhooks get an event', `GET ${event}/webhooks`);
  await call('shows a delivery', `GET ${event}/deliveries/${late.webhookUid}`);

  const flaky = await subscribe(stage, ['flaky', '/once-500'], { retrySchedule: ['1s'] });
  await becomes(stage, await report(stage, flaky.tenant), 'delivered');

  const failing = await subscribe(stage, ['failing', '/500'], { retrySchedule: [] });
  await becomes(stage, await report(stage, failing.tenant), 'exhausted');
  const isFailing = { until: ({ body }: Answer) => typeof body['failingSince'] === 'string' };
  await call('a webhook that fails', `GET ${failing.webhook}`, isFailing);

  const gone = await subscribe(stage, ['gone', '/410']);
  await becomes(stage, await report(stage, gone.tenant), 'exhausted');
  const isGone = { until: has('disabledReason', 'gone') };
  await call('a webhook that is gone', `GET ${gone.webhook}`, isGone);
  await call('why webhooks fail', 'GET …/stats/failures');

  const closed = `http://127.0.0.1:${await closedPort()}/`;
  const unreachable = await subscribe(stage, ['unreachable', closed], { retrySchedule: ['1h'] });
  const retried = await report(stage, unreachable.tenant);
  await becomes(stage, retried, 'retrying');
  await call('deletes a webhook with a retry', `DELETE ${unreachable.webhook}`);
  await becomes(stage, retried, 'cancelled');
}

async function playPause(stage: Stage): Promise<void> {
  const { call } = stage;
  const { tenant, webhook } = await subscribe(stage, ['paused', '/200'], { active: false });
  const event = await report(stage, tenant);
  await becomes(stage, event, 'held');
  await call('a webhook that holds a delivery', `GET ${webhook}`, { until: has('heldCount', 1) });
  await call('resumes with what was held', `PATCH ${webhook}`, {
    body: { active: true, onResume: 'deliver' },
  });
  await becomes(stage, event, 'delivered');
}

async function playSkip(stage: Stage): Promise<void> {
  const fields = { active: false };
  const { tenant, webhookUid } = await subscribe(stage, ['skipped', '/200'], fields);
  const event = await report(stage, tenant);
  await becomes(stage, event, 'held');
  await stage.call('skips a delivery', `POST ${event}/deliveries/${webhookUid}/cancel`);
}

async function playDiscard(stage: Stage): Promise<void> {
  const { call } = stage;
  const { tenant, webhook } = await subscribe(stage, ['discarded', '/200'], { active: false });
  const event = await report(stage, tenant);
  await becomes(stage, event, 'held');
  const body = { active: true, onResume: 'discard' };
  await call('resumes without what was held', `PATCH ${webhook}`, { body });
  await call('the same discard again', `PATCH ${webhook}`, { body });
  await becomes(stage, event, 'cancelled');
}

async function playOrder(stage: Stage): Promise<void> {
  const fields = { ordering: 'resource', retrySchedule: ['1h'] };
  const { tenant, webhook, webhookUid } = await subscribe(stage, ['ordered', '/500'], fields);
  await becomes(stage, await report(stage, tenant), 'retrying');
  await becomes(stage, await report(stage, tenant), 'pending');
  const { call } = stage;
  // The waiting delivery is shown as pending even before it is recorded.
  const areBoth = ({ body }: Answer): boolean =>
    (body['data'] as unknown as unknown[]).length === 2;
  await call('the deliveries of a webhook', `GET ${webhook}/deliveries`, { until: areBoth });
  const filters = 'state=retrying&statusClass=5xx&since=2026-01-01T00:00:00Z';
  await call('deliveries of a state, a class and a time', `GET ${webhook}/deliveries?${filters}`);
  await call('deliveries without an answer', `GET ${webhook}/deliveries?statusClass=none`);
  await call('a state that is none', `GET ${webhook}/deliveries?state=lost`);
  const ofTenant = `GET …/deliveries?externalTenantId=${tenant}`;
  await call('deliveries of a tenant, to all webhooks', ofTenant);
  await call('failures of a tenant', `${ofTenant}&errorClass=status&event=agent.updated`);
  await call('deliveries of a webhook', `GET …/deliveries?webhookUid=${webhookUid}&state=held`);
  await call('an error class that is none', 'GET …/deliveries?errorClass=lost');
  await call('a time that is none', `GET ${webhook}/deliveries?since=2026-02-30T00:00:00Z`);
}

async function playStatistics({ call }: Stage): Promise<void> {
  const path = '…/stats/deliveries';
  await call('statistics of the last day', `GET ${path}`);
  await call('what is still to be delivered', 'GET …/stats/backlog');
  await call('the settings of the service', 'GET …/settings');
  await call('statistics by webhook', 'GET …/stats/webhooks');
  await call('the latest outcomes by webhook', 'GET …/stats/outcomes');
  await call('statistics of a webhook that is none', `GET ${path}?webhookUid=whk_none`);
  await call('an interval that is none', `GET ${path}?interval=week`);
  const short = 'since=2026-01-01T00:00:00Z&until=2026-01-01T00:59:00Z';
  await call('a range that is too short', `GET ${path}?${short}`);
}

/** Plays webhooks and their secrets. */
export async function playWebhooks(stage: Stage): Promise<void> {
  const { call, receiver } = stage;
  const webhook = `…/webhooks/${await playCreation(stage)}`;
  await call('lists webhooks', 'GET …/webhooks');
  await call('shows a webhook', `GET ${webhook}`);
  await playWebhookChanges(stage, webhook);
  await playSecrets(stage, webhook);
  await call('sends a test event', `POST ${webhook}/test`, { body: {} });
  await call('sends the sample of an event', `POST ${webhook}/test`, {
    body: { event: 'agent.updated' },
  });
  await call('a test of another kind of event', `POST ${webhook}/test`, {
    body: { event: 'apikey.expiring' },
  });
  await call('lists the types of events', 'GET …/event-types');
  await call('pauses a webhook', `PATCH ${webhook}`, { body: { active: false } });
  await call('a test event to a paused webhook', `POST ${webhook}/test`);
  await call('resumes a webhook', `PATCH ${webhook}`, { body: { active: true } });
  const moved = { body: { url: `${receiver.url}/204` } };
  await call('moves a webhook', `PATCH ${webhook}`, moved);
  await call('deletes a webhook', `DELETE ${webhook}`);
  await call('a webhook that was deleted', `GET ${webhook}`);
}

async function playCreation({ call, receiver }: Stage): Promise<string> {
  const register = 'POST …/webhooks';
  const body = { url: `${receiver.url}/200`, entities: ['agent'], externalTenantIds: ['nobody'] };
  const headers = { 'idempotency-key': 'webhook-1' };
  const check = 'POST …/webhooks/check-url';
  await call('checks a URL', check, { body: { url: body.url } });
  await call('checks a URL that is none', check, { body: { url: 'nowhere' } });
  const created = await call('registers a webhook', register, { body, headers });
  await call('the same registration again', register, { body, headers });
  const other = { ...body, active: false };
  await call('another registration by the same key', register, { body: other, headers });
  const full = {
    ...body,
    name: 'Agents',
    description: 'To the search index',
    metadata: { team: 'search' },
    headers: { 'x-tenant': 'acme' },
    auth: { type: 'bearer', token: 'secret' },
    entities: ['agent', 'context', 'contextfile'],
    events: ['agent.created'],
    retrySchedule: ['5s', '120s'],
    ordering: 'resource',
    active: false,
  };
  await call('registers a webhook with everything', register, { body: full });
  const refused = {
    'a webhook without its fields': {},
    'a URL that is none': { ...body, url: 'nowhere' },
    'a URL that is not public': { ...body, url: 'https://10.0.0.1/' },
    'an event of another entity': { ...body, events: ['context.created'] },
    'a schedule that is none': { ...body, retrySchedule: ['soon'] },
    'a schedule with a wait that is too short': { ...body, retrySchedule: ['5ms'] },
    'a schedule that is too long': { ...body, retrySchedule: ['6d', '2d'] },
    'an ordering that is none': { ...body, ordering: 'none' },
    'a reserved header': { ...body, headers: { host: 'elsewhere' } },
    'a credential without its fields': { ...body, auth: { type: 'basic' } },
    'a client certificate that is none': { ...body, tls: { certificate: 'x', key: 'y' } },
  };
  for (const [what, wrong] of Object.entries(refused)) await call(what, register, { body: wrong });
  return String(created.body['uid']);
}

async function playWebhookChanges({ call }: Stage, webhook: string): Promise<void> {
  const change = `PATCH ${webhook}`;
  const fields = { retrySchedule: ['1h'], events: ['agent.updated'], ordering: 'resource' };
  await call('changes a webhook', change, { body: fields });
  const cleared = { retrySchedule: null, events: null, externalTenantIds: null };
  await call('takes the filters of a webhook away', change, { body: cleared });
  await call('changes nothing of a webhook', change, { body: cleared });
  await call('a resume without active', change, { body: { onResume: 'discard' } });
  const along = { headers: { 'x-tenant': 'acme' }, auth: { type: 'bearer', token: 'secret' } };
  await call('sets what a webhook sends along', change, { body: along });
  const elsewhere = { url: 'http://127.0.0.1:1/' };
  await call('a move to another URL without the credentials', change, { body: elsewhere });
  await call('takes them away', change, { body: { headers: null, auth: null } });
  const discard = { active: true, onResume: 'discard' };
  await call('a discard at an active webhook', change, { body: discard });
}

async function playSecrets({ call }: Stage, webhook: string): Promise<void> {
  const rotate = `POST ${webhook}/secret/rotate`;
  await call('promotes without a rotation', `POST ${webhook}/secret/promote`);
  const headers = { 'idempotency-key': 'rotation-1' };
  await call('rotates the secret', rotate, { headers });
  await call('the same rotation again', rotate, { headers });
  await call('a rotation during another', rotate, { body: { overlapSeconds: 60 } });
  await call('an overlap that is too long', rotate, { body: { overlapSeconds: 604_801 } });
  await call('promotes the new secret', `POST ${webhook}/secret/promote`);
  await call('rotates without an overlap', rotate, { body: { overlapSeconds: 0 } });
}
