// The cost of checking an API key, and the record of its last use.
import { afterAll, beforeAll, expect, vi, test } from 'vitest';
import { newApiKey, parseApiKey } from '../../../lib/access/api-key.ts';
import { httpLog } from '../../../lib/platform/logger.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectProblem, makeKey } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function callWith(apiKey: string): Promise<number> {
  return (await service.call('GET', '/agents', { headers: { 'x-api-key': apiKey } })).status;
}

/** The error for a rejected key, without the ID of the request. */
async function refusalOf(apiKey: string): Promise<string> {
  const answer = await service.call('GET', '/agents', { headers: { 'x-api-key': apiKey } });
  expectProblem(answer, 401, 'unauthenticated');
  return JSON.stringify({ ...answer.body, requestId: null });
}

async function keyOf(apiKey: string) {
  return service.store.apiKeys.findOne({ keyId: parseApiKey(apiKey)?.keyId ?? '' });
}

/** Runs calls with MongoDB's profiler on. Returns the commands on the collection of keys. */
async function commandsOnKeys(calls: () => Promise<unknown>): Promise<string[]> {
  const { db } = service.store;
  await db.command({ profile: 2 });
  await calls();
  await db.command({ profile: 0 });
  const ns = `${db.databaseName}.apiKeys`;
  const rows = await db.collection('system.profile').find({ ns }).toArray();
  await db.collection('system.profile').drop();
  return rows.map((row) => String(row['op']));
}

test('a mistyped key is refused without a read, other refused keys after one read, all with the same error', async () => {
  const { apiKey } = service.app;
  const at = 30;
  const mistyped = [
    apiKey.slice(0, at) + (apiKey[at] === 'a' ? 'b' : 'a') + apiKey.slice(at + 1),
    apiKey.slice(0, -1),
    `${apiKey}a`,
    apiKey.toLowerCase(),
    'nonsense',
    '',
  ];
  const bodies = new Set<string>();
  const commands = await commandsOnKeys(async () => {
    for (const key of mistyped) bodies.add(await refusalOf(key));
  });
  expect(commands).toEqual([]);
  const ofKnownId = newApiKey();
  await makeKey(service, { keyId: ofKnownId.keyId });
  const refused = {
    unknown: newApiKey().text,
    'of a known id and another secret': ofKnownId.text,
    revoked: await makeKey(service, { revokedAt: new Date() }),
    expired: await makeKey(service, { expiresAt: new Date(Date.now() - 1) }),
  };
  for (const [what, key] of Object.entries(refused)) {
    const commands = await commandsOnKeys(async () => bodies.add(await refusalOf(key)));
    expect([what, commands]).toEqual([what, ['command']]);
  }
  expect(bodies.size).toBe(1);
});

test('x-api-key together with Authorization gets 400 for any values', async () => {
  const { apiKey } = service.app;
  for (const headers of [
    { 'x-api-key': apiKey, authorization: 'Basic x' },
    { 'x-api-key': '', authorization: '' },
  ]) {
    const answer = await service.call('GET', '/agents', { headers });
    expectProblem(answer, 400, 'credentials_conflict');
  }
});

test('the use of a key is recorded at most once per minute, for any number of requests', async () => {
  const apiKey = await makeKey(service);
  expect((await keyOf(apiKey))?.lastUsedAt).toBeUndefined();
  const commands = await commandsOnKeys(async () => {
    await Promise.all(Array.from({ length: 40 }, () => callWith(apiKey)));
    await waitFor(async () => (await keyOf(apiKey))?.lastUsedAt !== undefined);
    await Promise.all(Array.from({ length: 40 }, () => callWith(apiKey)));
  });
  expect(commands.filter((op) => op === 'update')).toHaveLength(1);
  const { lastUsedAt } = (await keyOf(apiKey)) ?? {};
  expect(Math.abs(Date.now() - (lastUsedAt?.getTime() ?? 0))).toBeLessThan(60_000);
  await callWith(apiKey);
  expect((await keyOf(apiKey))?.lastUsedAt).toEqual(lastUsedAt);
});

test('a use a minute after the last one is recorded again', async () => {
  const longAgo = new Date(Date.now() - 61_000);
  const apiKey = await makeKey(service, { lastUsedAt: longAgo });
  expect(await callWith(apiKey)).toBe(200);
  await waitFor(async () => ((await keyOf(apiKey))?.lastUsedAt ?? longAgo) > longAgo);
  const justNow = new Date(Date.now() - 30_000);
  const recent = await makeKey(service, { lastUsedAt: justNow });
  expect(await callWith(recent)).toBe(200);
  expect((await keyOf(recent))?.lastUsedAt).toEqual(justNow);
});

test('a use that cannot be recorded does not fail the request', async () => {
  const apiKey = await makeKey(service);
  const { db } = service.store;
  const warn = vi.spyOn(httpLog, 'warn');
  // The database rejects only this write.
  const validator = { lastUsedAt: { $exists: false } };
  await db.command({ collMod: 'apiKeys', validator, validationAction: 'error' });
  try {
    expect(await callWith(apiKey)).toBe(200);
    expect(await callWith(apiKey)).toBe(200);
    const uid = (await keyOf(apiKey))?._id;
    await waitFor(
      () =>
        warn.mock.calls.some(
          ([facts, event]: unknown[]) =>
            event === 'last_used.update_failed' && (facts as { uid?: string }).uid === uid,
        ),
      { what: 'the warning' },
    );
  } finally {
    warn.mockRestore();
    await db.command({ collMod: 'apiKeys', validator: {} });
  }
  expect((await keyOf(apiKey))?.lastUsedAt).toBeUndefined();
});

test('a refused key is not recorded as used', async () => {
  const apiKey = await makeKey(service, { revokedAt: new Date() });
  const commands = await commandsOnKeys(() => callWith(apiKey));
  expect(commands).toEqual(['command']);
  expect((await keyOf(apiKey))?.lastUsedAt).toBeUndefined();
});
