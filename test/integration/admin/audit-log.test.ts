// The audit log: a row for every call that changes something. Rows can be filtered and never change.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Document } from 'mongodb';
import { auditFilter } from '../../../api/audit/list-audit-log.ts';
import {
  makeTestAdmin,
  sessionHeaders,
  signIn,
  type TestAdmin,
} from '../../support/admin-client.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectProblem, faultsOf, itemsOf, makeKey } from '../api/problems.ts';

let service: TestService;
let ada: TestAdmin;
let app: string;
let keyUid: string;

beforeAll(async () => {
  service = await startService({ worker: false });
  ada = await makeTestAdmin(service);
  app = `/apps/${service.app.appUid}`;
  keyUid = (await service.store.apiKeys.findOne({}))?._id ?? '';
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function rows(query = ''): Promise<JsonBody[]> {
  return itemsOf(await ada.call('GET', `${app}/audit-log${query}`));
}

/** Runs calls and returns the rows that they left in the application's log, oldest first. */
async function rowsOf(calls: () => Promise<unknown>): Promise<JsonBody[]> {
  const known = new Set((await rows('?limit=200')).map((row) => String(row['uid'])));
  await calls();
  const after = await rows('?limit=200');
  return after.filter((row) => !known.has(String(row['uid']))).toReversed();
}

test('each change of a webhook leaves a row with its key and address', async () => {
  const made = await rowsOf(async () => {
    const body = { url: 'http://127.0.0.1:9/hook?token=hunter2', entities: ['agent'] };
    const webhook = await service.call('POST', '/webhooks', { body });
    const path = `/webhooks/${String(webhook.body['uid'])}`;
    await service.call('PATCH', path, { body: { externalTenantIds: ['t'], active: true } });
    await service.call('POST', `${path}/secret/rotate`, { body: { overlapSeconds: 60 } });
    await service.call('POST', `${path}/secret/promote`);
    await service.call('POST', `${path}/test`, { body: {} });
    const since = '2020-01-01T00:00:00Z';
    const replay = await service.call('POST', `${path}/replays`, {
      body: { since, externalTenantId: 'erased-later' },
    });
    await service.call('POST', `${path}/replays`, { body: { since, dryRun: true } });
    const replayPath = `${path}/replays/${String(replay.body['uid'])}`;
    await service.call('POST', `${replayPath}/cancel`);
    const agent = { agentName: 'A', externalTenantId: 't' };
    await service.call('POST', '/agents', { body: agent });
    const [event] = itemsOf(await service.call('GET', '/events?limit=1'));
    await service.call('POST', `/events/${String(event?.['eventId'])}/resend`, { body: {} });
    await service.call('DELETE', path, { headers: { ...keyHeader(), 'x-request-id': 'by-me-12' } });
  });
  expect(made.map((row) => row['action'])).toEqual([
    'webhook.created',
    'webhook.changed',
    'webhook.secret_rotated',
    'webhook.secret_promoted',
    'webhook.tested',
    'replay.created',
    'replay.cancelled',
    'event.resent',
    'webhook.deleted',
  ]);
  for (const row of made) {
    expect(row['actor']).toEqual({ kind: 'api_key', uid: keyUid });
    expect(String(row['address'])).toMatch(/127\.0\.0\.1$/);
  }
  expect(made[0]).toMatchObject({
    uid: expect.stringMatching(/^aud_/),
    target: { kind: 'webhook', uid: expect.stringMatching(/^whk_/) },
    details: { urlOrigin: 'http://127.0.0.1:9', entities: ['agent'] },
  });
  expect(made[1]?.['details']).toEqual({
    tenantCount: 1,
    active: true,
    previous: { tenantCount: null, active: true },
  });
  expect(made[5]?.['details']).toMatchObject({ isOfTenant: true });
  expect(made.at(-1)?.['requestId']).toBe('by-me-12');
  expect(JSON.stringify(made)).not.toMatch(/hunter2|whsec_|erased-later/);
});

function keyHeader(): Record<string, string> {
  return { 'x-api-key': service.app.apiKey };
}

test('a refused call leaves no row', async () => {
  const made = await rowsOf(async () => {
    await service.call('POST', '/webhooks', { body: { url: 'ftp://x', entities: ['agent'] } });
    await service.call('PATCH', '/webhooks/whk_none', { body: { active: false } });
    await service.call('DELETE', '/webhooks/whk_none');
    await service.call('POST', '/webhooks/whk_none/secret/promote');
    await ada.call('POST', `${app}/keys/key_none/revoke`);
    await ada.call('POST', `${app}/members`, { body: { email: 'x@y.zz', role: 'owner' } });
  });
  expect(made).toEqual([]);
});

test('each change that an admin makes to keys, members and applications leaves a row', async () => {
  const guest = await makeTestAdmin(service);
  const made = await rowsOf(async () => {
    const wish = { name: 'K', scopes: ['events:read'] };
    const key = await ada.call('POST', `${app}/keys`, { body: wish });
    const keyPath = `${app}/keys/${String(key.body['uid'])}`;
    await ada.call('POST', `${keyPath}/roll`, { body: { overlapSeconds: 60 } });
    await ada.call('POST', `${keyPath}/revoke`);
    await ada.call('POST', `${keyPath}/revoke`);
    const member = { email: guest.email, role: 'viewer' };
    await ada.call('POST', `${app}/members`, { body: member });
    const memberPath = `${app}/members/${guest.admin._id}`;
    await ada.call('PATCH', memberPath, { body: { role: 'admin' } });
    await ada.call('DELETE', memberPath);
    await ada.call('PATCH', app, { body: { name: 'New name' } });
  });
  expect(made.map((row) => row['action'])).toEqual([
    'api_key.created',
    'api_key.rolled',
    'api_key.revoked',
    'member.added',
    'member.role_changed',
    'member.removed',
    'app.renamed',
  ]);
  expect(made.at(-1)?.['details']).toMatchObject({
    name: 'New name',
    previousName: expect.any(String),
  });
  for (const row of made) expect(row['actor']).toEqual({ kind: 'admin', uid: ada.admin._id });
  expect(made[4]?.['details']).toEqual({ role: 'admin', previousRole: 'viewer' });
});

test('sign-ins, failed sign-ins, sign-outs and password changes are rows of the installation', async () => {
  const guest = await makeTestAdmin(service);
  await signIn(service, guest);
  await signIn(service, { email: guest.email, password: 'wrong wrong wrong' });
  await signIn(service, { email: 'unknown@example.com', password: 'wrong wrong wrong' });
  // The responses do not wait for the rows.
  const failures = { action: 'admin.sign_in_failed' };
  await waitFor(async () => (await service.store.auditLog.countDocuments(failures)) === 2);
  const body = { currentPassword: guest.password, newPassword: 'a new long password' };
  const changed = await guest.call('POST', '/password', { body });
  await guest.call('DELETE', '/session', { headers: sessionHeaders(changed) });
  const query = `?targetUid=${guest.admin._id}`;
  const found = itemsOf(await ada.call('GET', `/audit-log${query}`)).toReversed();
  expect(found.map((row) => [row['action'], row['actor']?.['kind']])).toEqual([
    ['admin.created', 'system'],
    ['admin.signed_in', 'admin'],
    ['admin.sign_in_failed', 'anonymous'],
    ['admin.password_changed', 'admin'],
    ['admin.signed_out', 'admin'],
  ]);
  const failed = itemsOf(await ada.call('GET', '/audit-log?action=admin.sign_in_failed'));
  expect(failed[0]).toMatchObject({
    target: { kind: 'admin', uid: 'unknown' },
    details: { email: 'unknown@example.com' },
  });
});

test('only a key with the scope admin can read the log', async () => {
  const only = await makeKey(service, { scopes: ['admin'] });
  const answer = await service.call('GET', '/audit-log', { headers: { 'x-api-key': only } });
  expect(answer.status).toBe(200);
  expect(itemsOf(answer)).toEqual(await rows());
  const without = await makeKey(service, { scopes: ['events:read', 'webhooks:write'] });
  const refused = await service.call('GET', '/audit-log', { headers: { 'x-api-key': without } });
  expectProblem(refused, 403, 'insufficient_scope');
});

test('rows can be filtered by action, actor, target and time, alone and together, page by page', async () => {
  const all = await rows('?limit=200');
  const by = (name: string, of: (row: JsonBody) => unknown) => async (value: string) => {
    const found = await rows(`?limit=200&${name}=${value}`);
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(all.filter((row) => of(row) === (value as unknown)));
  };
  await by('action', (row) => row['action'])('webhook.created');
  await by('actorUid', (row) => row['actor']?.['uid'])(ada.admin._id);
  await by('targetUid', (row) => row['target']?.['uid'])(String(all[0]?.['target']?.['uid']));
  const middle = String(all[Math.floor(all.length / 2)]?.['at']);
  const since = await rows(`?limit=200&since=${middle}`);
  const until = await rows(`?limit=200&until=${middle}`);
  expect([...since, ...until]).toEqual(all);
  expect(until.every((row) => String(row['at']) < middle)).toBe(true);
  expect(await rows(`?action=app.renamed&actorUid=${keyUid}`)).toEqual([]);
  const first = await ada.call('GET', `${app}/audit-log?limit=3`);
  const cursor = String(first.body['nextCursor']);
  const next = await rows(`?limit=3&cursor=${cursor}`);
  expect([...itemsOf(first), ...next]).toEqual(all.slice(0, 6));
});

test.each([
  ['action=', 'action length'],
  [`actorUid=${'a'.repeat(65)}`, 'actorUid length'],
  ['targetUid=a&targetUid=b', 'targetUid repeated'],
  ['since=yesterday', 'since time'],
  ['until=2026-01-01', 'until time'],
  ['limit=0', 'limit range'],
])('the query %s is refused', async (query, fault) => {
  const answer = await ada.call('GET', `${app}/audit-log?${query}`);
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
});

/** Returns the names of the stages and indexes of a plan. */
function stagesOf(plan: Document): string[] {
  const inner = [plan['inputStage'], ...((plan['inputStages'] as Document[] | undefined) ?? [])];
  const below = inner.filter((stage) => stage !== undefined).flatMap((stage) => stagesOf(stage));
  return [plan['indexName'] ?? plan['stage'], ...below].map(String);
}

const all = { action: null, actorUid: null, targetUid: null, since: null, until: null };
const at = new Date('2026-01-01T00:00:00Z');

test.each([
  [{}, 'app'],
  [{ action: 'webhook.created' }, 'action'],
  [{ actorUid: 'key_1' }, 'actor'],
  [{ targetUid: 'whk_1' }, 'target'],
  [{ since: at, until: new Date('2027-01-01T00:00:00Z') }, 'app'],
  [{ action: 'webhook.created', since: at }, 'action'],
])('the filter %j is served in order by the index %s', async (asked, index) => {
  for (const appUid of [service.app.appUid, null]) {
    const filter = auditFilter(appUid, { ...all, ...asked });
    const explained = await service.store.auditLog
      .find(filter)
      .sort({ _id: -1 })
      .limit(50)
      .explain('queryPlanner');
    const stages = stagesOf(explained['queryPlanner']['winningPlan'] as Document);
    expect(stages).toContain(index);
    expect(stages).not.toContain('SORT');
    expect(stages).not.toContain('COLLSCAN');
  }
});

test('a row is committed with its change: if it cannot be written, nothing is changed', async () => {
  const { db } = service.store;
  const validator = { action: { $ne: 'api_key.created' } };
  await db.command({ collMod: 'auditLog', validator, validationAction: 'error' });
  const path = `${app}/keys`;
  const before = itemsOf(await ada.call('GET', path)).length;
  const refused = await ada.call('POST', path, { body: { name: 'K', scopes: ['admin'] } });
  await db.command({ collMod: 'auditLog', validator: {} });
  expectProblem(refused, 500, 'internal');
  expect(itemsOf(await ada.call('GET', path))).toHaveLength(before);
});

test('no call changes or removes a row', async () => {
  const [row] = await rows();
  const uid = String(row?.['uid']);
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
    for (const path of [`${app}/audit-log`, `${app}/audit-log/${uid}`, '/audit-log']) {
      expect([404, 405]).toContain((await ada.call(method, path, { body: {} })).status);
    }
  }
  expect((await rows())[0]).toEqual(row);
});
