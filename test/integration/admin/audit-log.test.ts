// The audit log: a row for every call that changes something. Rows can be filtered and never change.
import type { Document } from 'mongodb';
import { auditFilter } from '../../../api/audit/list-audit-log.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { itemsOf } from '../api/problems.ts';

let ada: TestAdmin;
let app: string;
let keyUid: string;

const service = useService({ worker: false });

beforeAll(async () => {
  ada = await makeTestAdmin(service);
  app = `/apps/${service.app.appUid}`;
  keyUid = (await service.store.apiKeys.findOne({}))?._id ?? '';
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
    const since = '2020-01-01T00:00:00Z';
    const replay = { since, externalTenantId: 'erased-later' };
    await service.call('POST', `${path}/replays`, { body: replay });
    await service.call('POST', `${path}/replays`, { body: { since, dryRun: true } });
    await service.call('DELETE', path, { headers: { ...keyHeader(), 'x-request-id': 'by-me-12' } });
  });
  expect(made.map((row) => row['action'])).toEqual([
    'webhook.created',
    'webhook.changed',
    'replay.created',
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
  expect(made[2]?.['details']).toMatchObject({ isOfTenant: true });
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

test('rows can be filtered by action, actor, target and time, alone and together, page by page', async () => {
  await ada.call('PATCH', app, { body: { name: 'New name' } });
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
