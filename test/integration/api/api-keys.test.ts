// The credentials of a call: which keys are refused and how, what the check costs, and the record of the last use.
import { newApiKey, parseApiKey } from '../../../lib/access/api-key.ts';
import { httpLog } from '../../../lib/platform/logger.ts';
import { useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectProblem, makeKey } from './problems.ts';

const service = useService({ worker: false });

async function callWith(apiKey: string): Promise<number> {
  return (await service.call('GET', '/agents', { headers: { 'x-api-key': apiKey } })).status;
}

/** The error for rejected credentials, without the ID of the request. */
async function refusalOf(headers: Record<string, string>): Promise<string> {
  const answer = await service.call('GET', '/agents', { headers });
  expectProblem(answer, 401, 'unauthenticated');
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
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
  const misplaced: Record<string, string>[] = [
    {},
    { authorization: 'Bearer' },
    { authorization: apiKey },
    { authorization: `Basic ${Buffer.from(`x:${apiKey}`).toString('base64')}` },
  ];
  const bodies = new Set<string>();
  const commands = await commandsOnKeys(async () => {
    for (const key of mistyped) bodies.add(await refusalOf({ 'x-api-key': key }));
    for (const headers of misplaced) bodies.add(await refusalOf(headers));
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
    const commands = await commandsOnKeys(async () =>
      bodies.add(await refusalOf({ 'x-api-key': key })),
    );
    expect([what, commands]).toEqual([what, ['command']]);
  }
  expect(bodies.size).toBe(1);
});

test('the use of a key is recorded at most once per minute, for any number of requests', async () => {
  const apiKey = await makeKey(service);
  expect((await keyOf(apiKey))?.lastUsedAt).toBeNull();
  const commands = await commandsOnKeys(async () => {
    await Promise.all(Array.from({ length: 40 }, () => callWith(apiKey)));
    await waitFor(async () => (await keyOf(apiKey))?.lastUsedAt !== null);
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
  const warn = jest.spyOn(httpLog, 'warn');
  // The database rejects only this write.
  const validator = { lastUsedAt: null };
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
  expect((await keyOf(apiKey))?.lastUsedAt).toBeNull();
});

test('a refused key is not recorded as used', async () => {
  const apiKey = await makeKey(service, { revokedAt: new Date() });
  const commands = await commandsOnKeys(() => callWith(apiKey));
  expect(commands).toEqual(['command']);
  expect((await keyOf(apiKey))?.lastUsedAt).toBeNull();
});

test('a request is authenticated before its body is checked', async () => {
  const answer = await service.call('POST', '/agents', { body: '{', headers: {} });
  expectProblem(answer, 401, 'unauthenticated');
});

test('the key is accepted in either header on every endpoint, with the scheme in any case', async () => {
  for (const scheme of ['Bearer', 'bearer']) {
    const headers = { authorization: `${scheme} ${service.app.apiKey}` };
    expect((await service.call('GET', '/webhooks', { headers })).status).toBe(200);
  }
  expect((await service.call('GET', '/webhooks')).status).toBe(200);
});

test.each([
  ['abcdefgh', true],
  ['a'.repeat(64), true],
  ['A-b_c-1234', true],
  ['abcdefg', false],
  ['a'.repeat(65), false],
  ['has space in it', false],
  ['new.line;drop', false],
])('the request ID %j is echoed: %p', async (given, echoed) => {
  const answer = await service.raw('GET', '/nothing', { headers: { 'x-request-id': given } });
  expectProblem(answer, 404, 'not_found');
  expect(answer.body['requestId'] === (given as unknown)).toBe(echoed);
  const fine = await service.call('GET', '/agents', {
    headers: { 'x-api-key': service.app.apiKey, 'x-request-id': given },
  });
  expect(fine.headers.get('x-request-id') === given).toBe(echoed);
});
