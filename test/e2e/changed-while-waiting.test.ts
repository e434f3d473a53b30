// Attempts wait for a permit while their webhook is changed: a request sent later uses the new state.
import { createHmac } from 'node:crypto';
import { attemptLimits } from '../../lib/limits.ts';
import type { ReceivedRequest } from '../support/receivers.ts';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

const { permitsPerWebhookMax: permits, factsFreshMs } = attemptLimits;
const waiting = 8;

/** Responses that are held back. */
let held: (() => void)[] = [];
let holds = false;

const service = useService();
const receiver = useReceiver((response) => {
  const answer = (): void => void response.writeHead(200).end();
  if (holds) held.push(answer);
  else answer();
});

beforeAll(async () => {
  // Compiles the code: a request that is held for 5 s fails.
  const { uid } = await registerWebhook(service, { url: `${receiver.url}/first` });
  await Promise.all(Array.from({ length: permits + waiting }, () => reportChange(service)));
  await waitFor(() => requestsTo('/first').length === permits + waiting);
  await service.call('DELETE', `/webhooks/${uid}`);
});

const requestsTo = (path: string): ReceivedRequest[] =>
  receiver.requests.filter((request) => request.path === path);

/** Takes all permits of a webhook, lets `waiting` attempts wait for one, changes it, and lets the receiver respond. */
async function changeWhileWaiting(
  path: string,
  change: (webhookUid: string, externalTenantId: string) => Promise<unknown>,
): Promise<{ webhookUid: string; secret: string; states: Record<string, number> }> {
  [held, holds] = [[], true];
  const tenant = `tenant-of-${path.slice(1)}`;
  const { uid, secret } = await registerWebhook(service, { url: `${receiver.url}${path}` });
  const count = permits + waiting;
  await Promise.all(
    Array.from({ length: count }, () => reportChange(service, { externalTenantId: tenant })),
  );
  await waitFor(() => held.length === permits, { what: 'all permits to be taken' });
  const changedAt = performance.now();
  await change(uid, tenant);
  // Until then, facts read earlier may be used.
  await waitFor(() => performance.now() - changedAt > 2 * factsFreshMs);
  holds = false;
  for (const answer of held) answer();
  const { deliveries } = service.store;
  const states = await waitFor(
    async () => {
      const found = await deliveries.find({ webhookUid: uid, externalTenantId: tenant }).toArray();
      const open = found.some(({ state }) => state === 'pending' || state === 'retrying');
      if (found.length < count || open) return false;
      return found.reduce<Record<string, number>>(
        (counts, { state }) => ({ ...counts, [state]: (counts[state] ?? 0) + 1 }),
        {},
      );
    },
    { what: 'the end of all deliveries' },
  );
  return { webhookUid: uid, secret, states };
}

const eraseAll = async (_uid: string, tenant: string): Promise<void> => {
  const body = { externalTenantId: tenant };
  expect((await service.call('POST', '/erasures', { body })).status).toBe(202);
  const erased = { externalTenantId: tenant, erasedAt: { $ne: null } };
  await waitFor(
    async () => (await service.store.events.countDocuments(erased)) === permits + waiting,
    { what: 'the erasure of all payloads' },
  );
};

test.each<[string, Parameters<typeof changeWhileWaiting>[1], string]>([
  [
    'a pause holds them',
    (uid) => service.call('PATCH', `/webhooks/${uid}`, { body: { active: false } }),
    'held',
  ],
  ['a deletion cancels them', (uid) => service.call('DELETE', `/webhooks/${uid}`), 'cancelled'],
  ['an erasure of their payloads cancels them', eraseAll, 'cancelled'],
])('%s', async (what, change, state) => {
  const path = `/${what.split(' ')[1]}`;
  const { webhookUid, states } = await changeWhileWaiting(path, change);
  expect(states).toEqual({ delivered: permits, [state]: waiting });
  expect(requestsTo(path)).toHaveLength(permits);
  await service.call('DELETE', `/webhooks/${webhookUid}`);
});

test('a new URL receives them', async () => {
  const { webhookUid, states } = await changeWhileWaiting('/old', (uid) =>
    service.call('PATCH', `/webhooks/${uid}`, { body: { url: `${receiver.url}/new` } }),
  );
  expect(states).toEqual({ delivered: permits + waiting });
  expect(requestsTo('/old')).toHaveLength(permits);
  expect(requestsTo('/new')).toHaveLength(waiting);
  await service.call('DELETE', `/webhooks/${webhookUid}`);
});

test('a new secret without overlap signs them', async () => {
  let next = '';
  const { webhookUid } = await changeWhileWaiting('/rotated', async (uid) => {
    const body = { overlapSeconds: 0 };
    const answer = await service.call('POST', `/webhooks/${uid}/secret/rotate`, { body });
    next = String(answer.body['secret']);
  });
  const signed = requestsTo('/rotated').filter(
    ({ body, headers }) =>
      headers['x-webhook-signature'] ===
      `sha256=${createHmac('sha256', next).update(body).digest('hex')}`,
  );
  expect(signed).toHaveLength(waiting);
  await service.call('DELETE', `/webhooks/${webhookUid}`);
});
