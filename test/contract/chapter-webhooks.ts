// Webhooks and their secrets; deliveries are the next chapter.
import type { Stage } from './stage.ts';

/** Plays it. */
export async function playWebhooks(stage: Stage): Promise<void> {
  const { call, receiver } = stage;
  const webhook = `…/webhooks/${await playCreation(stage)}`;
  await call('lists webhooks', 'GET …/webhooks');
  await call('shows a webhook', `GET ${webhook}`);
  await playChanges(stage, webhook);
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

async function playChanges({ call }: Stage, webhook: string): Promise<void> {
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
