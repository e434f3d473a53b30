// Users as an administrator sees them: listed, renamed, and deleted with all personal data.
import { addApp, type TestApp } from '../../support/add-app.ts';
import { callPatiently } from '../../support/call-patiently.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, itemsOf } from './problems.ts';
import { verify } from './token-forge.ts';

let appUid: string;
let accountUid: string;
let client: TestApp;

const service = useService({ worker: false });

beforeEach(async () => {
  client = await addApp(service);
  ({ appUid, accountUid } = client);
});

interface SignedIn {
  userUid: string;
  authToken: string;
  created: boolean;
}

async function signIn(body: Record<string, unknown>): Promise<SignedIn> {
  const answer = await client.call('POST', '/sdkusers/auth', { body });
  expect(answer.status).toBe(200);
  return answer.body as unknown as SignedIn;
}

async function makeUser(externalId = 'user'): Promise<string> {
  return (await signIn({ externalId })).userUid;
}

test('a user is shown with its identity and accounts', async () => {
  const byId = await signIn({ externalId: 'shown', name: 'Name', accountUids: [accountUid] });
  const byEmail = await signIn({ userEmail: 'Shown@Example.com' });
  const times = { createdAt: expect.stringMatching(/Z$/), updatedAt: expect.stringMatching(/Z$/) };
  expect((await client.call('GET', `/sdkusers/${byId.userUid}`)).body).toEqual({
    uid: byId.userUid,
    externalId: 'shown',
    email: null,
    name: 'Name',
    accountUids: [accountUid],
    ...times,
  });
  const email = expect.stringMatching(new RegExp(`^u_[a-z2-7]{52}@${appUid}\\.users\\.invalid$`));
  expect((await client.call('GET', `/sdkusers/${byEmail.userUid}`)).body).toEqual({
    uid: byEmail.userUid,
    externalId: null,
    email,
    name: null,
    accountUids: [],
    ...times,
  });
});

test('users are listed in pages, newest first, without deleted ones', async () => {
  const uids: string[] = [];
  for (let i = 0; i < 6; i += 1) uids.push(await makeUser(`user ${i}`));
  const [gone = ''] = uids.splice(2, 1);
  expect((await client.call('DELETE', `/sdkusers/${gone}`)).status).toBe(204);
  const first = await client.call('GET', '/sdkusers?limit=3');
  const cursor = String(first.body['nextCursor']);
  const second = await client.call('GET', `/sdkusers?limit=3&cursor=${cursor}`);
  const listed = [...itemsOf(first), ...itemsOf(second)].map((user) => user['uid']);
  expect(listed).toEqual(uids.toSorted().toReversed());
  expect(second.body['nextCursor']).toBeNull();
});

test('a user is found by the exact externalId, but not by the stored pseudonym of an email', async () => {
  const userUid = await makeUser('ext 1/ä');
  await makeUser('ext 1/A');
  const { userUid: byEmail } = await signIn({ userEmail: 'ext@example.com' });
  const { emailKey = '' } = (await service.store.users.findOne({ _id: byEmail })) ?? {};
  const find = async (externalId: string): Promise<unknown[]> => {
    const query = new URLSearchParams({ externalId });
    const answer = await client.call('GET', `/sdkusers?${query.toString()}`);
    expect([answer.status, answer.body['nextCursor']]).toEqual([200, null]);
    return itemsOf(answer).map((user) => user['uid']);
  };
  expect(await find('ext 1/ä')).toEqual([userUid]);
  for (const other of ['ext 1/Ä', 'ext', 'ext@example.com', emailKey, 'null']) {
    expect(await find(other)).toEqual([]);
  }
});

test('a user is found by any spelling of the email that signs in the same user', async () => {
  const { userUid } = await signIn({ userEmail: 'Ada+1@Bücher.example' });
  await signIn({ userEmail: 'ada@bücher.example' });
  await makeUser('ada+1@bücher.example');
  const find = async (query: Record<string, string>): Promise<unknown[]> => {
    const answer = await client.call('GET', `/sdkusers?${new URLSearchParams(query).toString()}`);
    expect(answer.status).toBe(200);
    return itemsOf(answer).map((user) => user['uid']);
  };
  for (const email of ['Ada+1@Bücher.example', 'ada+1@xn--bcher-kva.example']) {
    expect(await find({ email })).toEqual([userUid]);
  }
  expect(await find({ email: 'nobody@bücher.example' })).toEqual([]);
  expect(await find({ email: 'ada+1@bücher.example', externalId: 'ext' })).toEqual([]);
  const stranger = await addApp(service);
  const sought = await stranger.call('GET', '/sdkusers?email=ada%2B1@b%C3%BCcher.example');
  expect(itemsOf(sought)).toEqual([]);
  await client.call('DELETE', `/sdkusers/${userUid}`);
  expect(await find({ email: 'ada+1@bücher.example' })).toEqual([]);
});

test.each([
  'externalId=',
  `externalId=${'x'.repeat(257)}`,
  'email=',
  'email=ada',
  `email=${'x'.repeat(250)}@b.co`,
])('the query %j is rejected', async (query) => {
  expectProblem(await client.call('GET', `/sdkusers?${query}`), 400, 'invalid_request');
});

test('the name can be changed and removed, and the same name changes nothing', async () => {
  const uid = await makeUser();
  const path = `/sdkusers/${uid}`;
  for (const name of ['New', 'New', null, null]) {
    const answer = await client.call('PATCH', path, { body: { name } });
    expect([answer.status, answer.body['name']]).toEqual([200, name]);
    expect((await client.call('GET', path)).body).toEqual(answer.body);
  }
  const rows = await service.store.auditLog.find({ appUid, 'target.uid': uid }).toArray();
  expect(rows.map((row) => row.action)).toEqual(['user.updated', 'user.updated']);
  expect(JSON.stringify(rows)).not.toContain('New');
});

test.each([[{ externalId: 'person-4711' }], [{ userEmail: 'person-4711@private.example' }]])(
  'no personal data of a deleted user %j remains, and the identity is free for a new user',
  async (identity) => {
    const named = { ...identity, name: 'Secret Name', accountUids: [accountUid] };
    const { userUid, authToken } = await signIn(named);
    const before = await service.store.users.findOne({ _id: userUid });
    expect(await verify(client, authToken)).toMatchObject({ active: true });
    expect((await client.call('DELETE', `/sdkusers/${userUid}`)).status).toBe(204);

    expect(await service.store.users.findOne({ _id: userUid })).toEqual({
      _id: userUid,
      appUid,
      name: null,
      accountUids: [],
      tokenEpoch: 1,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
      deletedAt: expect.any(Date),
    });
    const rows = await service.store.auditLog.find({ appUid }).toArray();
    const ofUser = rows.filter((row) => row.target.uid === userUid);
    expect(ofUser.map((row) => row.action)).toEqual(['user.deleted']);
    const events = await service.store.events.find({ appUid }).toArray();
    const users = await service.store.users.find({ appUid }).toArray();
    const everything = JSON.stringify([users, rows, events]);
    for (const word of ['4711', 'Secret', String(before?.emailKey)]) {
      expect(everything).not.toContain(word);
    }
    expect(await verify(client, authToken)).toEqual({ active: false, reason: 'revoked' });

    const again = await signIn(identity);
    expect(again.created).toBe(true);
    expect(again.userUid).not.toBe(userUid);
    expect(await verify(client, authToken)).toEqual({ active: false, reason: 'revoked' });
    expect(await verify(client, again.authToken)).toMatchObject({ userUid: again.userUid });
    const members = await client.call('GET', `/accounts/${accountUid}/members`);
    expect(itemsOf(members)).toEqual([]);
  },
);

test('concurrent deletions and sign-ins of one identity all succeed and leave at most one user', async () => {
  for (let round = 0; round < 10; round += 1) {
    const uid = await makeUser('contested');
    const body = { externalId: 'contested', accountUids: [accountUid] };
    const signInAgain = () => client.call('POST', '/sdkusers/auth', { body });
    const answers = await Promise.all([
      callPatiently(() => client.call('DELETE', `/sdkusers/${uid}`)),
      ...Array.from({ length: 10 }, () => callPatiently(signInAgain)),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([204, ...Array(10).fill(200)]);
    const filter = { appUid, externalId: 'contested' };
    expect(await service.store.users.countDocuments(filter)).toBeLessThanOrEqual(1);
  }
});

test('a deleted or unknown user, or one of another application, is not found by any call', async () => {
  const deleted = await makeUser('deleted');
  await client.call('DELETE', `/sdkusers/${deleted}`);
  const foreign = await makeUser('foreign');
  await service.store.users.updateOne({ _id: foreign }, { $set: { appUid: 'app_other' } });
  for (const uid of [deleted, foreign, 'usr_none']) {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const options = method === 'PATCH' ? { body: { name: 'Taken' } } : {};
      const answer = await client.call(method, `/sdkusers/${uid}`, options);
      expectProblem(answer, 404, 'not_found');
    }
    const member = `/accounts/${accountUid}/members/${uid}`;
    expectProblem(await client.call('PUT', member), 404, 'not_found');
    const revoked = await client.call('POST', `/sdkusers/${uid}/tokens/revoke`);
    expectProblem(revoked, 404, 'not_found');
  }
  const untouched = await service.store.users.findOne({ _id: foreign });
  expect(untouched).toMatchObject({ name: null, tokenEpoch: 0 });
});
