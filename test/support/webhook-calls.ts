// Calls that many tests start with: registering a webhook, reporting a change.
import type { ApiClient } from './api-client.ts';
import { callPatiently } from './call-patiently.ts';

/** Registers an active webhook for agents; `fields` replace its defaults. */
export async function registerWebhook(
  client: ApiClient,
  fields: { url: string; [field: string]: unknown },
): Promise<{ uid: string; secret: string }> {
  const body = { entities: ['agent'], active: true, ...fields };
  const answer = await callPatiently(() => client.call('POST', '/webhooks', { body }));
  expect(answer.status).toBe(201);
  return { uid: String(answer.body['uid']), secret: String(answer.body['secret']) };
}

/** Reports a change of an agent, or the change that `event` names. Returns the event's ID. */
export async function reportChange(
  client: ApiClient,
  data: Record<string, unknown> = {},
  event = 'agent.updated',
): Promise<string> {
  const body = { event, data: { uid: 'agt_1', externalTenantId: 'tenant-1', ...data } };
  const answer = await callPatiently(() => client.call('POST', '/changes', { body }));
  expect(answer.status).toBe(202);
  return String(answer.body['eventId']);
}
