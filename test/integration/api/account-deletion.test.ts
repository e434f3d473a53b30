// Deleting an account: what is removed with it, in batches, and the state after an interrupted deletion.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addApp, type TestApp } from '../../support/add-app.ts';
import { startService, type TestService } from '../../support/service.ts';
import { makeAccount, signIn } from './account-calls.ts';
import { expectProblem, faultsOf } from './problems.ts';
import { makeAgent } from './resource-calls.ts';

let service: TestService;
let appUid: string;
let client: TestApp;

beforeAll(async () => {
  service = await startService({ worker: false });
});

beforeEach(async () => {
  client = await addApp(service);
  appUid = client.appUid;
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
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
    const agent = { agentName: 'A', externalTenantId: 't', accountUids: [uid] };
    const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 8 }, (_, i) => make(i));
    const externalIds = many((i) => `racer ${round} ${i}`);
    const calls = await Promise.all([
      ...externalIds.map((externalId) =>
        client.call('POST', '/sdkusers/auth', { body: { externalId, accountUids: [uid] } }),
      ),
      ...many(() => client.call('POST', '/agents', { body: agent })),
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
