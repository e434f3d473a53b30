// Accounts: their data, and their members.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addApp, type TestApp } from '../../support/add-app.ts';
import { callPatiently } from '../../support/call-patiently.ts';
import { startService, type TestService } from '../../support/service.ts';
import { makeAccount, signIn } from './account-calls.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';

let service: TestService;
let appUid: string;
let apiKey: string;
let client: TestApp;

beforeAll(async () => {
  service = await startService({ worker: false });
});

beforeEach(async () => {
  client = await addApp(service);
  ({ appUid, apiKey } = client);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function actionsOf(uid: string): Promise<string[]> {
  const rows = await service.store.auditLog
    .find({ appUid, 'target.uid': uid })
    .sort({ _id: 1 })
    .toArray();
  expect(rows.every((row) => row.actor.kind === 'api_key')).toBe(true);
  return rows.map((row) => row.action);
}

test('an account is created, shown, listed, renamed and deleted, with an audit row each', async () => {
  const created = await client.call('POST', '/accounts', { body: { name: 'First' } });
  const uid = String(created.body['uid']);
  expect(created.status).toBe(201);
  expect(created.headers.get('location')).toBe(`/api/v1/appuid/${appUid}/accounts/${uid}`);
  const view = {
    uid: expect.stringMatching(/^acc_[0-9a-z]{26}$/),
    name: 'First',
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: created.body['createdAt'],
  };
  expect(created.body).toEqual(view);
  expect((await client.call('GET', `/accounts/${uid}`)).body).toEqual(view);
  const changed = await client.call('PATCH', `/accounts/${uid}`, { body: { name: 'Second' } });
  expect([changed.status, changed.body['name']]).toEqual([200, 'Second']);
  const listed = itemsOf(await client.call('GET', '/accounts'));
  expect(listed.map((account) => account['name'])).toEqual(['Second', 'First account']);
  expect((await client.call('DELETE', `/accounts/${uid}`)).status).toBe(204);
  expectProblem(await client.call('GET', `/accounts/${uid}`), 404, 'not_found');
  expect(await actionsOf(uid)).toEqual(['account.created', 'account.updated', 'account.deleted']);
});

test('a change to the same name changes nothing', async () => {
  const uid = await makeAccount(client, 'Same');
  for (const body of [{}, { name: 'Same' }]) {
    expect((await client.call('PATCH', `/accounts/${uid}`, { body })).status).toBe(200);
  }
  expect(await actionsOf(uid)).toEqual(['account.created']);
});

test('a creation repeated with its Idempotency-Key creates one account', async () => {
  const headers = { 'x-api-key': apiKey, 'idempotency-key': 'once' };
  const call = () => client.call('POST', '/accounts', { body: { name: 'Once' }, headers });
  const [one, two] = [await call(), await call()];
  expect(two.body).toEqual(one.body);
  expect(await service.store.accounts.countDocuments({ appUid, name: 'Once' })).toBe(1);
  expect(await actionsOf(String(one.body['uid']))).toEqual(['account.created']);
});

test.each([
  ['POST', {}, '#/name required'],
  ['POST', { name: '' }, '#/name minLength'],
  ['POST', { name: 'x'.repeat(201) }, '#/name maxLength'],
  ['POST', { name: null }, '#/name type'],
  ['POST', { name: 'a', uid: 'acc_x' }, '#/uid additionalProperties'],
  ['PATCH', { name: '' }, '#/name minLength'],
  ['PATCH', { name: 7 }, '#/name type'],
  ['PATCH', { appUid: 'app_x' }, '#/appUid additionalProperties'],
] as const)('%s of %j is refused', async (method, body, fault) => {
  const path = method === 'POST' ? '/accounts' : `/accounts/${await makeAccount(client)}`;
  const answer = await client.call(method, path, { body });
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
});

test('the next token shows that a member was added or removed', async () => {
  const [one, two] = [await makeAccount(client), await makeAccount(client)];
  const { userUid } = await signIn(client, 'member', [one]);
  const member = `/accounts/${two}/members/${userUid}`;
  for (let time = 0; time < 2; time += 1) {
    expect((await client.call('PUT', member)).status).toBe(204);
  }
  expect((await signIn(client, 'member')).accounts).toEqual([one, two]);
  const listed = itemsOf(await client.call('GET', `/accounts/${two}/members`));
  expect(listed).toEqual([expect.objectContaining({ uid: userUid, accountUids: [one, two] })]);
  expect((await client.call('DELETE', member)).status).toBe(204);
  expectProblem(await client.call('DELETE', member), 404, 'not_found');
  expect((await signIn(client, 'member')).accounts).toEqual([one]);
  expect(await actionsOf(two)).toEqual([
    'account.created',
    'account.member_added',
    'account.member_removed',
  ]);
});

test("an addition does not wait for another application's addition to an account with the same uid", async () => {
  const uid = await makeAccount(client);
  const { userUid } = await signIn(client, 'waits');
  const member = `/accounts/${uid}/members/${userUid}`;
  await using session = service.store.client.startSession();
  session.startTransaction();
  await service.store.accounts.updateOne({ _id: uid }, { $inc: { turn: 1 } }, { session });
  let isAdded = false;
  const adding = client.call('PUT', member).then((answer) => {
    isAdded = true;
    return answer;
  });
  const stranger = await addApp(service);
  expectProblem(await stranger.call('PUT', member), 404, 'not_found');
  expect(isAdded).toBe(false);
  await session.abortTransaction();
  expect((await adding).status).toBe(204);
});

test('members are listed in pages, newest first, without those of other accounts', async () => {
  const [one, other] = [await makeAccount(client), await makeAccount(client)];
  const uids: string[] = [];
  for (let i = 0; i < 5; i += 1) uids.push((await signIn(client, `user ${i}`, [one])).userUid);
  await signIn(client, 'elsewhere', [other]);
  const first = await client.call('GET', `/accounts/${one}/members?limit=3`);
  const cursor = String(first.body['nextCursor']);
  const second = await client.call('GET', `/accounts/${one}/members?limit=3&cursor=${cursor}`);
  const listed = [...itemsOf(first), ...itemsOf(second)].map((user) => user['uid']);
  expect(listed).toEqual(uids.toSorted().toReversed());
  expect(second.body['nextCursor']).toBeNull();
});

test('a user can be in at most 100 accounts, whether by signing in or by being added', async () => {
  const accountUids = await Promise.all(Array.from({ length: 102 }, () => makeAccount(client)));
  const { userUid } = await signIn(client, 'busy', accountUids.slice(0, 99));
  const [hundredth = '', further = ''] = accountUids.slice(100);
  const signInWith = (uids: unknown) =>
    client.call('POST', '/sdkusers/auth', { body: { externalId: 'busy', accountUids: uids } });
  expectProblem(await signInWith([hundredth, further]), 409, 'limit_reached');
  expect((await signInWith([hundredth, accountUids[0]])).status).toBe(200);
  expectProblem(await signInWith([further]), 409, 'limit_reached');
  const member = `/accounts/${further}/members/${userUid}`;
  expectProblem(await client.call('PUT', member), 409, 'limit_reached');
  await client.call('DELETE', `/accounts/${hundredth}/members/${userUid}`);
  expect((await client.call('PUT', member)).status).toBe(204);
  const user = await service.store.users.findOne({ _id: userUid });
  expect(user?.accountUids).toHaveLength(100);
});

test('each account that a sign-in adds leaves an audit row, even for a new user', async () => {
  const [one, two, three] = [
    await makeAccount(client),
    await makeAccount(client),
    await makeAccount(client),
  ];
  const { userUid } = await signIn(client, 'audited', [one, two, one]);
  for (let time = 0; time < 2; time += 1) await signIn(client, 'audited', [two, three]);
  await signIn(client, 'audited');
  const [key] = await service.store.apiKeys.find({ appUid }).toArray();
  for (const uid of [one, two, three]) {
    expect(await actionsOf(uid)).toEqual(['account.created', 'account.member_added']);
    const row = { appUid, 'target.uid': uid, action: 'account.member_added' };
    expect(await service.store.auditLog.findOne(row)).toMatchObject({
      actor: { kind: 'api_key', uid: key?._id },
      target: { kind: 'account', uid },
      details: { userUid },
      requestId: expect.stringMatching(/^req_/),
    });
  }
});

test('concurrent first sign-ins of one user add each account once, with one audit row', async () => {
  const [one, two] = [await makeAccount(client), await makeAccount(client)];
  const users = await Promise.all(
    Array.from({ length: 40 }, () => signIn(client, 'rush', [one, two])),
  );
  expect(new Set(users.map((user) => user.userUid)).size).toBe(1);
  for (const { accounts } of users) expect(accounts).toEqual([one, two]);
  for (const uid of [one, two]) {
    expect(await actionsOf(uid)).toEqual(['account.created', 'account.member_added']);
  }
});

test('concurrent sign-ins with different accounts respect the limit', async () => {
  const accountUids = await Promise.all(Array.from({ length: 130 }, () => makeAccount(client)));
  await signIn(client, 'crowd', accountUids.slice(0, 90));
  const answers = await Promise.all(
    accountUids.slice(90).map((uid) => {
      const body = { externalId: 'crowd', accountUids: [uid] };
      return callPatiently(() => client.call('POST', '/sdkusers/auth', { body }));
    }),
  );
  const statuses = answers.map((answer) => answer.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  expect(statuses.filter((status) => status === 409)).toHaveLength(30);
});

test("another application's accounts and users are not found", async () => {
  const stranger = await addApp(service);
  const own = await makeAccount(client);
  const { userUid } = await signIn(client, 'own');
  const body = { externalId: 'foreign', accountUids: [stranger.accountUid] };
  const foreign = String((await stranger.call('POST', '/sdkusers/auth', { body })).body['userUid']);
  const account = `/accounts/${stranger.accountUid}`;
  for (const [method, path] of [
    ['GET', account],
    ['PATCH', account],
    ['DELETE', account],
    ['GET', `${account}/members`],
    ['PUT', `${account}/members/${userUid}`],
    ['DELETE', `${account}/members/${foreign}`],
    ['PUT', `/accounts/${own}/members/${foreign}`],
  ] as const) {
    const options = method === 'PATCH' ? { body: { name: 'Taken' } } : {};
    expectProblem(await client.call(method, path, options), 404, 'not_found');
  }
  expect((await stranger.call('GET', account)).body['name']).toBe('First account');
  expect(itemsOf(await stranger.call('GET', `${account}/members`))).toHaveLength(1);
});
