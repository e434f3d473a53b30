// The names and notes of a webhook, and what it sends: headers, credentials and a client certificate.
import { newWebhookSecret } from '../../../lib/webhooks/signature.ts';
import type { Answer } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, faultsOf } from './problems.ts';

const service = useService({ worker: false });

const valid = { url: 'http://127.0.0.1:1/', entities: ['agent'] };

async function register(fields: Record<string, unknown>): Promise<Answer> {
  return service.call('POST', '/webhooks', { body: { ...valid, ...fields } });
}

test('name, description and metadata are kept, shown, replaced as a whole, and cleared by null', async () => {
  const labels = {
    name: 'Search',
    description: 'Two\nlines',
    metadata: { team: 'search', 'cost.center': '42' },
  };
  const created = await register(labels);
  expect(created.body).toMatchObject({ ...labels, warnings: [] });
  const path = `/webhooks/${String(created.body['uid'])}`;
  expect((await service.call('GET', path)).body).toMatchObject(labels);
  const metadata = { team: 'index' };
  const changed = await service.call('PATCH', path, { body: { metadata } });
  expect(changed.body['metadata']).toEqual(metadata);
  expect(changed.body['name']).toBe('Search');
  const none = { name: null, description: null, metadata: null };
  expect((await service.call('PATCH', path, { body: none })).body).toMatchObject(none);
  const [webhook] = (await service.call('GET', '/webhooks')).body as unknown as object[];
  expect(webhook).toMatchObject(none);
});

test('the same fields in another order do not count as a change', async () => {
  const created = await register({ metadata: { a: '1', b: '2' }, filter: { x: 1, y: [2, 3] } });
  const path = `/webhooks/${String(created.body['uid'])}`;
  const body = { metadata: { b: '2', a: '1' }, filter: { y: [2, 3], x: 1 } };
  const changed = await service.call('PATCH', path, { body });
  expect(changed.body['updatedAt']).toBe(created.body['updatedAt']);
  const other = { metadata: { b: '2', a: '2' } };
  const last = await service.call('PATCH', path, { body: other });
  expect(last.body['metadata']).toEqual(other.metadata);
});

test('the row of a change has the previous value of each field, without secrets', async () => {
  const fields = (word: string, n: number) => ({
    name: word,
    description: word.repeat(n),
    metadata: { [word]: 'value-is-private' },
    url: `http://${word}.example.com/private-path`,
    entities: [n === 1 ? 'agent' : 'context'],
    events: [n === 1 ? 'agent.created' : 'context.created'],
    externalTenantIds: Array.from({ length: n }, (_, index) => `private-tenant-${index}`),
    retrySchedule: [`${n}s`],
    ordering: n === 1 ? 'parallel' : 'resource',
    ratePerSecond: n === 1 ? 1 : null,
    ratePerSecondPerTenant: n === 1 ? null : 2,
    cloudEvents: n === 1,
    filter: { [word]: 'private-value' },
    headers: { [`X-${word}`]: 'private-header' },
    auth: n === 1 ? { type: 'bearer', token: 'private-token' } : null,
    tls: null,
    active: n === 1,
  });
  const { body } = await register(fields('before', 1));
  const uid = String(body['uid']);
  const changed = await service.call('PATCH', `/webhooks/${uid}`, { body: fields('after', 2) });
  expect(changed.status).toBe(200);
  const rows = service.store.auditLog.find({ 'target.uid': uid }).sort({ _id: 1 });
  const [created, change] = await rows.toArray();
  const { previous, ...after } = change?.details ?? {};
  expect(previous).toEqual(created?.details);
  expect(after).toMatchObject({ name: 'after', headerNames: ['X-after'], tenantCount: 2 });
  expect(Object.keys(after).toSorted()).toEqual(Object.keys(previous as object).toSorted());
  expect(JSON.stringify(change)).not.toContain('private');
});

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));

const perTenant = { ratePerSecondPerTenant: 1 };
const operations = { kind: 'operations', entities: undefined };

test.each([
  ['a name of two lines', { name: 'a\nb' }, '#/name format'],
  ['metadata without a key', { metadata: {} }, '#/metadata minProperties'],
  ['21 keys', { metadata: keys(21) }, '#/metadata maxProperties'],
  [
    'a key of 41',
    { metadata: { ['x'.repeat(41)]: 'v' } },
    `#/metadata/${'x'.repeat(41)} maxLength`,
  ],
  ['a key with $', { metadata: { $a: 'v' } }, '#/metadata/$a format'],
  ['a key with a dot first', { metadata: { '.a': 'v' } }, '#/metadata/.a format'],
  ['an empty key', { metadata: { '': 'v' } }, '#/metadata/ format'],
  ['a value of 201', { metadata: { k: 'x'.repeat(201) } }, '#/metadata/k maxLength'],
  ['an empty value', { metadata: { k: '' } }, '#/metadata/k minLength'],
  ['a secret that is none', { secret: null }, '#/secret type'],
  ['a short secret', { secret: 'whsec_c2hvcnQ=' }, '#/secret format'],
  ['a weak secret', { secret: `whsec_${'A'.repeat(32)}` }, '#/secret weak_secret'],
  ['a rate of 0', { ratePerSecondPerTenant: 0 }, '#/ratePerSecondPerTenant minimum'],
  ['a rate of 101', { ratePerSecondPerTenant: 101 }, '#/ratePerSecondPerTenant maximum'],
  ['two rates', { ratePerSecond: 1, ...perTenant }, '#/ratePerSecondPerTenant not_together'],
  ['a rate of no tenants', { ...operations, ...perTenant }, '#/ratePerSecondPerTenant not_of_kind'],
  ['CloudEvents as a text', { cloudEvents: 'true' }, '#/cloudEvents type'],
  ['two event IDs', { cloudEvents: true, headers: { 'CE-Id': '1' } }, '#/headers reserved'],
])('%s gets 400 and points to it', async (_what, fields, fault) => {
  const refused = await register(fields);
  expectProblem(refused, 400, 'invalid_request');
  expect(faultsOf(refused)).toEqual([fault]);
});

test.each([
  [perTenant, { ratePerSecond: 2 }, '#/ratePerSecondPerTenant not_together'],
  [{ headers: { 'ce-type': 'own' } }, { cloudEvents: true }, '#/headers reserved'],
  [{}, { secret: newWebhookSecret() }, '#/secret additionalProperties'],
])('a change of a webhook with %j to %j is refused', async (fields, body, fault) => {
  const { uid } = (await register(fields)).body;
  const refused = await service.call('PATCH', `/webhooks/${String(uid)}`, { body });
  expectProblem(refused, 400, 'invalid_request');
  expect(faultsOf(refused)).toEqual([fault]);
});

test('a given secret is shown once, and neither it nor the one before replaces it', async () => {
  const [first, second] = [newWebhookSecret(), newWebhookSecret()];
  const { uid, ...created } = (await register({ secret: first })).body;
  expect(created['secret']).toBe(first);
  const rotate = async (secret: string, headers = {}) => {
    const body = { secret, overlapSeconds: 60 };
    const options = { body, headers: { 'x-api-key': service.app.apiKey, ...headers } };
    return service.call('POST', `/webhooks/${String(uid)}/secret/rotate`, options);
  };
  expect(faultsOf(await rotate(first))).toEqual(['#/secret repeated']);
  const key = { 'idempotency-key': 'rotate-once' };
  const rotated = await rotate(second, key);
  expect(rotated.body['secret']).toBe(second);
  expect((await rotate(second, key)).body).toEqual(rotated.body);
  for (const secret of [first, second])
    expect(faultsOf(await rotate(secret))).toEqual(['#/secret repeated']);
  const rows = await service.store.auditLog.find({ 'target.uid': String(uid) }).toArray();
  expect(rows.map(({ details }) => details['secretGiven'])).toEqual([true, true]);
  const kept = JSON.stringify([rows, await service.store.idempotencyKeys.find().toArray()]);
  for (const secret of [first, second]) expect(kept).not.toContain(secret.slice(6, 30));
});
