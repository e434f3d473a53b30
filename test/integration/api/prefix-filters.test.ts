// Users and accounts by the beginning of their name, keys by that of their ID, and tenants.
import type { Document } from 'mongodb';
import { makeApiKey } from '../../../lib/access/api-keys.ts';
import { makeAccount } from '../../../lib/access/apps.ts';
import type { ApiKeyDocument } from '../../../lib/model/api-key.ts';
import type { UserDocument } from '../../../lib/model/user.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { newEvent } from '../../support/fixtures.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';

const at = new Date('2026-01-01T00:00:00Z');
/** Enough others to detect a plan that reads them. */
const othersCount = 60;

let viewer: TestAdmin;
let appUid: string;

const service = useService({ worker: false });

beforeAll(async () => {
  ({ appUid } = service.app);
  viewer = await makeTestAdmin(service, { superuser: true });
  await Promise.all([writeUsers(), writeAccounts(), writeKeys(), writeEvents()]);
});

const others = <T>(make: (n: number) => T): T[] =>
  Array.from({ length: othersCount }, (_none, n) => make(n));

async function writeUsers(): Promise<void> {
  const make = (name: string | null, fields: Partial<UserDocument> = {}): UserDocument => {
    const _id = newId('usr', at);
    const facts = { accountUids: [], tokenEpoch: 0, createdAt: at, updatedAt: at, deletedAt: null };
    return { _id, appUid, externalId: `id-${_id}`, name, ...facts, ...fields };
  };
  await service.store.users.insertMany([
    ...['Ada Lovelace', 'ada byron', 'ÁDA Zuse', 'Ada', 'Ad', 'Adb', 'Bea Ada'].map((name) =>
      make(name),
    ),
    ...others(() => make('Same Name')),
    ...others(() => make(null)),
    make('Ada of another application', { appUid: 'app_other' }),
  ]);
}

async function writeAccounts(): Promise<void> {
  const names = ['Acme', 'ACME Labs', 'acmé 😀', 'Acm', 'Acn', ...others((n) => `Other ${n}`)];
  const strange = makeAccount({ appUid: 'app_other', name: 'Acme' }, at);
  const own = names.map((name) => makeAccount({ appUid, name }, at));
  await service.store.accounts.insertMany([...own, strange]);
}

async function writeKeys(): Promise<void> {
  const make = (keyId: string, owner = appUid): ApiKeyDocument => {
    const input = { appUid: owner, name: keyId, scopes: [], expiresAt: null };
    const { key } = makeApiKey(input, { keyPepper: 'pepper', now: at });
    return { ...key, keyId, revokedAt: at };
  };
  await service.store.apiKeys.insertMany([
    ...['AbC000000000', 'AbCzzzzzzzzz', 'AbD000000000', 'Abc000000000', 'AbBzzzzzzzzz'].map((id) =>
      make(id),
    ),
    ...others((n) => make(`AbC${String(n + 1).padStart(9, '0')}`, 'app_other')),
  ]);
}

async function writeEvents(): Promise<void> {
  const tenants = ['acme', 'acme-2', 'acme/😀', 'acm', 'acn', 'Acme', 'b', ''];
  const stranger = { app: { appUid: 'app_other' } };
  await service.store.events.insertMany([
    ...tenants.flatMap((externalTenantId) =>
      others(() => ({ ...newEvent(service, [], at), externalTenantId })),
    ),
    ...others((n) => ({ ...newEvent(service, [], at), externalTenantId: `many-${n + 10}` })),
    { ...newEvent(service, [], at), event: 'webhook.test', externalTenantId: 'acme-test' },
    { ...newEvent(stranger, [], at), externalTenantId: 'acme-other' },
  ]);
}

function get(path: string, query: Record<string, string>): Promise<Answer> {
  return viewer.call('GET', `/apps/${appUid}/${path}?${new URLSearchParams(query).toString()}`);
}

async function find(
  path: string,
  query: Record<string, string>,
  field: string,
): Promise<unknown[]> {
  const answer = await get(path, query);
  expect(answer.status).toBe(200);
  const rows = Array.isArray(answer.body) ? (answer.body as Document[]) : itemsOf(answer);
  return rows.map((row) => row[field]);
}

test('users are found by the beginning of their name, in any case and with or without accents', async () => {
  const names = ['Ada', 'ada byron', 'Ada Lovelace', 'ÁDA Zuse'];
  for (const namePrefix of ['ada', 'ADA', 'áda'])
    expect(await find('sdkusers', { namePrefix }, 'name')).toEqual(names);
  expect(await find('sdkusers', { namePrefix: 'ada ' }, 'name')).toEqual(names.slice(1));
  expect(await find('sdkusers', { namePrefix: 'ada zuse' }, 'name')).toEqual(['ÁDA Zuse']);
  expect(await find('sdkusers', { namePrefix: 'ada zuses' }, 'name')).toEqual([]);
});

test('accounts are found by the beginning of their name', async () => {
  const names = ['Acme', 'acmé 😀', 'ACME Labs'];
  expect(await find('accounts', { namePrefix: 'acme' }, 'name')).toEqual(names);
  expect(await find('accounts', { namePrefix: 'acme l' }, 'name')).toEqual(['ACME Labs']);
});

test('keys are found by the beginning of their ID, whose case counts', async () => {
  const ids = ['AbC000000000', 'AbCzzzzzzzzz'];
  expect(await find('keys', { keyIdPrefix: 'AbC' }, 'keyId')).toEqual(ids);
  expect(await find('keys', { keyIdPrefix: 'AbCzzzzzzzzz' }, 'keyId')).toEqual(ids.slice(1));
  expect(await find('keys', { keyIdPrefix: 'abC' }, 'keyId')).toEqual([]);
});

test('tenants with events are found by their beginning, each once, up to 20', async () => {
  const tenants = ['acme', 'acme-2', 'acme/😀'];
  expect(await find('tenants', { prefix: 'acme' }, 'externalTenantId')).toEqual(tenants);
  expect(await find('tenants', { prefix: 'acme/' }, 'externalTenantId')).toEqual(['acme/😀']);
  expect(await find('tenants', { prefix: 'acmee' }, 'externalTenantId')).toEqual([]);
  const many = Array.from({ length: 20 }, (_none, n) => `many-${n + 10}`);
  expect(await find('tenants', { prefix: 'many-' }, 'externalTenantId')).toEqual(many);
  const all = ['Acme', 'acm', ...tenants, 'acn', 'b'];
  expect((await find('tenants', {}, 'externalTenantId')).slice(0, all.length)).toEqual(all);
});

test('a page of equal names is followed by the next, without gaps and repetitions', async () => {
  const uids: unknown[] = [];
  let cursor: Record<string, string> = {};
  for (;;) {
    const answer = await get('sdkusers', { namePrefix: 'same', limit: '25', ...cursor });
    uids.push(...itemsOf(answer).map(({ uid }) => uid));
    const { nextCursor } = answer.body;
    if (typeof nextCursor !== 'string') break;
    cursor = { cursor: nextCursor };
  }
  const same = service.store.users.find({ appUid, name: 'Same Name' }).sort({ _id: 1 });
  expect(uids).toEqual((await same.toArray()).map(({ _id }) => _id));
});

test.each([
  ['sdkusers', 'namePrefix', 200],
  ['accounts', 'namePrefix', 200],
  ['keys', 'keyIdPrefix', 12],
  ['tenants', 'prefix', 200],
])('of %s, %s has 1 to %i characters', async (path, name, charactersMax) => {
  expect((await get(path, { [name]: 'x'.repeat(charactersMax) })).status).toBe(200);
  for (const text of ['', 'x'.repeat(charactersMax + 1)]) {
    const answer = await get(path, { [name]: text });
    expectProblem(answer, 400, 'invalid_request');
    expect(faultsOf(answer)).toEqual([`${name} length`]);
  }
});

test.each([{ externalId: 'a' }, { email: 'a@b.co' }])(
  'a name is not combined with %j, because no index serves both',
  async (other) => {
    const answer = await get('sdkusers', { namePrefix: 'a', ...other });
    expectProblem(answer, 400, 'invalid_request');
    expect(faultsOf(answer)).toEqual(['namePrefix exactlyOne']);
  },
);

const limit = 2;
const paged = [
  ['users.name', 'sdkusers', { namePrefix: 'ada' }],
  ['users.name', 'sdkusers', { namePrefix: 'same' }],
  ['accounts.name', 'accounts', { namePrefix: 'acme' }],
  ['apiKeys.appKeyId', 'keys', { keyIdPrefix: 'Ab' }],
] as const;

test.each(paged)('the index %s serves pages of %s', async (index, path, query) => {
  const [collection = ''] = index.split('.');
  let cursor: Record<string, string> = {};
  for (let page = 0; page < 2; page += 1) {
    const profiles = await profile(service.store, collection, async () => {
      const answer = await get(path, { ...query, limit: String(limit), ...cursor });
      cursor = { cursor: String(answer.body['nextCursor']) };
    });
    const reads = profiles.filter(({ execStats }) =>
      indexesOf(execStats as Document, collection).has(index),
    );
    expect(reads.length).toBeGreaterThan(0);
    for (const { docsExamined, hasSortStage } of reads) {
      // One more of each range of the index.
      expect(docsExamined).toBeLessThanOrEqual(limit + 2);
      expect(hasSortStage).toBeUndefined();
    }
    expect(profiles.map(({ planSummary }) => planSummary)).not.toContain('COLLSCAN');
  }
});

test('the index events.tenant serves tenants without reading their events', async () => {
  const profiles = await profile(service.store, 'events', () => get('tenants', { prefix: 'acme' }));
  expect(profiles.length).toBe(4);
  for (const { docsExamined, keysExamined, execStats } of profiles) {
    expect(indexesOf(execStats as Document, 'events')).toEqual(new Set(['events.tenant']));
    expect(docsExamined).toBe(0);
    // The tenant, its first event of the list, and one seek beyond a tenant that only has tests.
    expect(keysExamined).toBeLessThanOrEqual(4);
  }
});
