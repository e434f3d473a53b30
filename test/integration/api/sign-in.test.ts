// Signing in users: which identities are the same user, and what is stored, with concurrent callers.
import { addApp } from '../../support/add-app.ts';
import type { Answer } from '../../support/api-client.ts';
import { callPatiently } from '../../support/call-patiently.ts';
import { useService } from '../../support/use-service.ts';
import { makeAccount } from './resource-calls.ts';
import { expectProblem, faultsOf } from './problems.ts';

const service = useService({ worker: false });

async function signIn(body: unknown): Promise<Answer> {
  return service.call('POST', '/sdkusers/auth', { body });
}

async function userUidOf(body: unknown): Promise<string> {
  const answer = await callPatiently(() => signIn(body));
  expect(answer.status).toBe(200);
  return String(answer.body['userUid']);
}

test('the first sign-in creates the user, the next finds it', async () => {
  const first = await signIn({ externalId: 'first' });
  expect(first.status).toBe(200);
  expect(first.body).toEqual({
    authToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    userUid: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
    created: true,
  });
  const second = await signIn({ externalId: 'first' });
  expect(second.body).toMatchObject({ userUid: first.body['userUid'], created: false });
  expect(second.body['authToken']).not.toBe(first.body['authToken']);
});

test('the name is applied only when the user is created', async () => {
  const _id = await userUidOf({ externalId: 'named', name: 'Before' });
  await userUidOf({ externalId: 'named', name: 'After' });
  expect(await service.store.users.findOne({ _id })).toMatchObject({ name: 'Before' });
  const unnamed = await userUidOf({ externalId: 'unnamed' });
  await userUidOf({ externalId: 'unnamed', name: 'Late' });
  expect(await service.store.users.findOne({ _id: unnamed })).toMatchObject({ name: null });
});

test('a sign-in adds accounts and never removes any', async () => {
  const [one, two] = [await makeAccount(service), await makeAccount(service)];
  const accountsAfter = async (accountUids?: string[]): Promise<string[] | undefined> => {
    const _id = await userUidOf({ externalId: 'member', ...(accountUids ? { accountUids } : {}) });
    return (await service.store.users.findOne({ _id }))?.accountUids.toSorted();
  };
  expect(await accountsAfter([one])).toEqual([one]);
  expect(await accountsAfter([two, two, one])).toEqual([one, two]);
  expect(await accountsAfter([])).toEqual([one, two]);
  expect(await accountsAfter()).toEqual([one, two]);
});

test('unknown accounts get 422 with the pointer of each, and no user is created', async () => {
  const other = await addApp(service);
  const { accountUid } = service.app;
  const accountUids = ['acc_none', accountUid, accountUid, other.accountUid];
  const answer = await signIn({ externalId: 'refused', accountUids });
  expectProblem(answer, 422, 'unknown_account_uids');
  expect(faultsOf(answer)).toEqual([
    '#/accountUids/0 unknown_account',
    '#/accountUids/3 unknown_account',
  ]);
  expect(await service.store.users.findOne({ externalId: 'refused' })).toBeNull();
});

test.each([
  [{}, []],
  [{ externalId: 'a', userEmail: 'a@example.com' }, []],
  [{ userId: 'a' }, ['#/userId additionalProperties']],
])('neither or both identities get 400, together with other faults: %j', async (body, others) => {
  const answer = await signIn(body);
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([...others, '# exactlyOne']);
});

test.each([
  ['User@Example.COM', 'user@example.com'],
  ['zoe@münchen.example', 'zoe@xn--mnchen-3ya.example'],
  ['zoe\u0308@example.com', 'zo\u00eb@example.com'],
  ['\u00c5@example.com', '\u212b@example.com'],
  ['ΝΙΚΟΣ@example.com', 'νικος@example.com'],
  ['J\u030can@example.com', '\u01f0an@example.com'],
])('%j and %j are one user', async (one, other) => {
  expect(await userUidOf({ userEmail: one })).toBe(await userUidOf({ userEmail: other }));
});

test.each([
  ['user+tag@example.org', 'user@example.org'],
  ['u.ser@example.org', 'user@example.org'],
  ['zoe@example.org', 'zoë@example.org'],
  ['user@example.org', 'user@example.com'],
  ['user@strasse.example', 'user@stra\u00dfe.example'],
  ['user@example.org', 'us\u0435r@example.org'],
])('%j and %j are two users', async (one, other) => {
  expect(await userUidOf({ userEmail: one })).not.toBe(await userUidOf({ userEmail: other }));
});

test.each([
  ' user@example.com',
  'user@example.com\n',
  'us er@example.com',
  'user@exam ple.com',
  'us\u00a0er@example.com',
  'us\u200ber@example.com',
  '\u202euser@example.com',
  'us\u1fefer@example.com',
  'user@\u212aay.com',
  'user@example\u3002com',
  'user@exam\u200cple.com',
  '"user"@example.com',
  'user',
  '@example.com',
  'user@',
  'a@b@example.com',
  '.user@example.com',
  'user.@example.com',
  'us..er@example.com',
  'user@-example.com',
  'user@example..com',
  'user@127.0.0.1',
  'user@0x7f.1',
  'user@example.com/x',
  'user@ex%61mple.com',
  'user@example.com:80',
  `u@${'a'.repeat(64)}.com`,
])('%j is not an email address', async (userEmail) => {
  const answer = await signIn({ userEmail });
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual(['#/userEmail format']);
});

test.each([
  [400, { expiresInSeconds: 59 }, 'expiresInSeconds must be at least 60'],
  [400, { expiresInSeconds: 3_601 }, 'expiresInSeconds must be at most 3600'],
  [400, { expiresInSeconds: 60.5 }, 'expiresInSeconds must be a whole number'],
  [
    400,
    { externalTenantId: '\u200b' },
    'externalTenantId must contain a visible character, no control or invisible characters, and be in Unicode normal form NFC',
  ],
  [400, { externalTenantId: 'x'.repeat(201) }, 'externalTenantId must have at most 200 characters'],
  [400, { accountUids: ['x'.repeat(129)] }, 'accountUids.0 must have at most 128 characters'],
  [422, { accountUids: ['x'.repeat(128)] }, `unknown accountUids: ${'x'.repeat(128)}`],
])('%d for %j, with one sentence that names the field', async (status, fields, detail) => {
  const answer = await signIn({ externalId: 'refused-fields', ...fields });
  expect(answer.body).toMatchObject({ status, detail });
});

test('an address of 254 characters is accepted, one of 255 is refused', async () => {
  const label = 'a'.repeat(63);
  const longest = `${'u'.repeat(60)}@${label}.${label}.${label}.a`;
  expect(longest).toHaveLength(254);
  expect((await signIn({ userEmail: longest })).status).toBe(200);
  expectProblem(await signIn({ userEmail: `u${longest}` }), 400, 'invalid_request');
});

test("an email user's address is stored only as a pseudonym unique to the application", async () => {
  const local = 'very-private-person';
  const _id = await userUidOf({ userEmail: `${local}@private.example` });
  const user = await service.store.users.findOne({ _id });
  expect(user?.email).toMatch(
    new RegExp(`^u_[a-z2-7]{52}@${service.app.appUid}\\.users\\.invalid$`),
  );
  const everything = JSON.stringify(await service.store.users.find().toArray());
  expect(everything).toContain(_id);
  expect(everything).not.toContain(local);
  expect(everything).not.toContain('private.example');
});

test('an externalId and an email with the same text are two users', async () => {
  const text = 'same@example.com';
  const byId = await userUidOf({ externalId: text });
  const byEmail = await userUidOf({ userEmail: text });
  expect(byId).not.toBe(byEmail);
  const stored = await service.store.users.findOne({ _id: byEmail });
  const byKey = await userUidOf({ externalId: String(stored?.emailKey) });
  expect(new Set([byId, byEmail, byKey]).size).toBe(3);
});

test('external ids are compared exactly', async () => {
  const ids = ['case', 'CASE', 'case ', 'cäse', 'ｃａｓｅ'];
  const uids = await Promise.all(ids.map((externalId) => userUidOf({ externalId })));
  expect(new Set(uids).size).toBe(ids.length);
});

test('the same identity in two applications is two users', async () => {
  const other = await addApp(service);
  for (const body of [{ externalId: 'shared' }, { userEmail: 'shared@example.com' }]) {
    const answer = await other.call('POST', '/sdkusers/auth', { body });
    expect(answer.body['created']).toBe(true);
    expect(answer.body['userUid']).not.toBe(await userUidOf(body));
  }
  const users = await service.store.users.find({ emailKey: { $exists: true } }).toArray();
  const keys = users.map((user) => user.emailKey);
  expect(new Set(keys).size).toBe(keys.length);
});

test.each([[{ externalId: 'crowd' }], [{ userEmail: 'crowd@example.com' }]])(
  '200 concurrent sign-ins of one new user %j create one user, and all succeed',
  async (identity) => {
    const before = await service.store.users.countDocuments();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        callPatiently(() => signIn({ ...identity, name: `Name ${i}` })),
      ),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.body['userUid'])).size).toBe(1);
    expect(answers.filter((answer) => Boolean(answer.body['created']))).toHaveLength(1);
    expect(await service.store.users.countDocuments()).toBe(before + 1);
  },
);
