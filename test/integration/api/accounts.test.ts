// Accounts: their data, their members, and what a deletion removes with them, in batches and after an interruption.
import { addApp, type TestApp } from '../../support/add-app.ts';
import { callPatiently } from '../../support/call-patiently.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';
import { makeAccount, makeAgent, signIn } from './resource-calls.ts';

let appUid: string;
let client: TestApp;

const service = useService({ worker: false });

beforeEach(async () => {
  client = await addApp(service);
  ({ appUid } = client);
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

test('many users are added to one account concurrently', async () => {
  const uid = await makeAccount(client);
  const users = await Promise.all(
    Array.from({ length: 200 }, (_, n) => signIn(client, `joiner ${n}`)),
  );
  const answers = await Promise.all(
    users.map(({ userUid }) => client.call('PUT', `/accounts/${uid}/members/${userUid}`)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
  expect(await service.store.users.countDocuments({ accountUids: uid })).toBe(200);
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
  const user = await service.store.users.findOne({ appUid, externalId: 'crowd' });
  expect(user?.accountUids).toHaveLength(100);
});

test('deleting an account removes it from users, agents and later tokens, with an event for each agent', async () => {
  const [gone, kept] = [await makeAccount(client), await makeAccount(client)];
  const { userUid } = await signIn(client, 'left', [gone, kept]);
  const alone = await makeAgent(client, { accountUids: [gone] });
  const shared = await makeAgent(client, { accountUids: [kept, gone] });
  const other = await makeAgent(client, { accountUids: [kept] });
  expect((await client.call('DELETE', `/accounts/${gone}`)).status).toBe(204);
  const user = await client.call('GET', `/sdkusers/${userUid}`);
  expect(user.body['accountUids']).toEqual([kept]);
  expect((await signIn(client, 'left')).accounts).toEqual([kept]);
  // An empty list, not null: without a list the agent would be open to all accounts.
  const wanted = [
    [alone, [], 2],
    [shared, [kept], 2],
    [other, [kept], 1],
  ] as const;
  for (const [uid, accountUids, eventCount] of wanted) {
    const agent = await client.call('GET', `/agents/${uid}`);
    expect(agent.body['accountUids']).toEqual(accountUids);
    const events = await service.store.events.find({ resourceUid: uid }).sort({ _id: 1 }).toArray();
    expect(events.map((event) => event.event)).toEqual(
      ['agent.created', 'agent.updated'].slice(0, eventCount),
    );
    const { data } = JSON.parse(events.at(-1)?.body ?? '') as { data: object };
    expect(data).toEqual(agent.body);
  }
  for (const [path, body] of [
    ['/sdkusers/auth', { externalId: 'left', accountUids: [gone] }],
    ['/agents', { agentName: 'A', externalTenantId: 't', accountUids: [gone] }],
  ] as const) {
    const answer = await client.call('POST', path, { body });
    expectProblem(answer, 422, 'unknown_account_uids');
    expect(faultsOf(answer)).toEqual(['#/accountUids/0 unknown_account']);
  }
});

test('an account with more members and agents than fit into a batch is deleted completely', async () => {
  const uid = await makeAccount(client);
  const now = new Date();
  const { store } = service;
  await store.users.insertMany(
    Array.from({ length: 1_001 }, (_, i) => ({
      _id: `usr_${appUid}_${i}`,
      appUid,
      externalId: `bulk ${i}`,
      name: null,
      accountUids: [uid],
      tokenEpoch: 0,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    })),
  );
  await store.agents.insertMany(
    Array.from({ length: 101 }, (_, i) => ({
      _id: `agt_${appUid}_${i}`,
      appUid,
      agentName: 'A',
      externalTenantId: 't',
      live: false,
      description: null,
      accountUids: [uid],
      createdAt: now,
      updatedAt: now,
    })),
  );
  expect((await client.call('DELETE', `/accounts/${uid}`)).status).toBe(204);
  expect(await store.users.countDocuments({ accountUids: uid })).toBe(0);
  expect(await store.agents.countDocuments({ accountUids: uid })).toBe(0);
  expect(await store.agents.countDocuments({ appUid, accountUids: [] })).toBe(101);
  expect(await store.events.countDocuments({ appUid, event: 'agent.updated' })).toBe(101);
});

test('uids left by an interrupted deletion give no access, and a repeated deletion removes them', async () => {
  const uid = await makeAccount(client);
  const { userUid } = await signIn(client, 'stale', [uid]);
  const other = await signIn(client, 'other stale', [uid]);
  const agentUid = await makeAgent(client, { accountUids: [uid] });
  // As if the process had been killed right after the commit.
  await service.store.accounts.deleteOne({ _id: uid });
  expect((await signIn(client, 'stale')).accounts).toEqual([]);
  // A sign-in already removes the account from its user.
  expect(await service.store.users.findOne({ _id: userUid })).toMatchObject({ accountUids: [] });
  expectProblem(await client.call('DELETE', `/accounts/${uid}`), 404, 'not_found');
  const left = { accountUids: [] };
  expect(await service.store.users.findOne({ _id: other.userUid })).toMatchObject(left);
  expect(await service.store.agents.findOne({ _id: agentUid })).toMatchObject({ accountUids: [] });
});

test('sign-ins, members and agents that name an account during its deletion succeed or fail, and none keeps it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const uid = await makeAccount(client);
    const { userUid } = await signIn(client, `bystander ${round}`);
    const agentUid = await makeAgent(client);
    const agent = { agentName: 'A', externalTenantId: 't', accountUids: [uid] };
    const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 8 }, (_, i) => make(i));
    const externalIds = many((i) => `racer ${round} ${i}`);
    const calls = await Promise.all([
      ...externalIds.map((externalId) =>
        client.call('POST', '/sdkusers/auth', { body: { externalId, accountUids: [uid] } }),
      ),
      ...many(() => client.call('POST', '/agents', { body: agent })),
      client.call('PATCH', `/agents/${agentUid}`, { body: { accountUids: [uid] } }),
      client.call('PUT', `/accounts/${uid}/members/${userUid}`),
      client.call('DELETE', `/accounts/${uid}`),
    ]);
    for (const { status } of calls) expect([200, 201, 204, 404, 422]).toContain(status);
    expect(calls.at(-1)?.status).toBe(204);
    for (const externalId of externalIds) {
      expect((await signIn(client, externalId)).accounts).toEqual([]);
    }
    expectProblem(await client.call('DELETE', `/accounts/${uid}`), 404, 'not_found');
    expect(await service.store.users.countDocuments({ accountUids: uid })).toBe(0);
    expect(await service.store.agents.countDocuments({ accountUids: uid })).toBe(0);
  }
});
