// Concurrent changes: each is made once, and none is rejected because of the others.
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Write } from '../../../api/changes/write-changes.ts';
import type { AddressedChange } from '../../../api/changes/make-events.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { timeOfId } from '../../../lib/platform/ids.ts';
import type { Answer } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { tooSlow } from './problems.ts';
import { makeContext } from './resource-calls.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** Makes the calls, and repeats those that a slow machine rejected. */
function together(count: number, call: (n: number) => Promise<Answer>): Promise<Answer[]> {
  const callInTime = async (n: number): Promise<Answer | false> => {
    const answer = await call(n);
    return !(answer.status === 503 && tooSlow.test(String(answer.body['detail']))) && answer;
  };
  return Promise.all(Array.from({ length: count }, (_, n) => waitFor(() => callInTime(n))));
}

const eventsOf = (resourceUid: string): Promise<EventDocument[]> =>
  service.store.events.find({ resourceUid }).toArray();

/** Counts responses by status. */
function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const withKey = (key: string) => ({
  'x-api-key': service.app.apiKey,
  'idempotency-key': key,
});

function report(uid: string, key: string): Promise<Answer> {
  const body = { event: 'agent.updated', data: { uid, externalTenantId: 't' } };
  return service.call('POST', '/changes', { body, headers: withKey(key) });
}

test('a hundred reports of one resource, each with its own key, are numbered without gaps', async () => {
  const answers = await together(100, (n) => report('one', `key-${n}`));
  expect(statuses(answers)).toEqual({ 202: 100 });
  const events = await eventsOf('one');
  const sequences = events.map(({ sequence }) => sequence ?? 0).toSorted((a, b) => a - b);
  expect(sequences).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
});

test('of concurrent reports with the same key one is made, and all get its response', async () => {
  const answers = await together(20, () => report('same', 'the-same-key'));
  expect(statuses(answers)).toEqual({ 202: 20 });
  const [event, ...more] = await eventsOf('same');
  expect(more).toEqual([]);
  expect(new Set(answers.map(({ body }) => String(body['eventId'])))).toEqual(
    new Set([event?._id]),
  );
});

test('files of one context are created and deleted together, and counted', async () => {
  const contextUid = await makeContext(service);
  const path = `/contexts/${contextUid}/files`;
  const file = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const created = await together(100, (n) =>
    service.call('POST', path, { body: file, headers: withKey(`file-${n % 2 === 0 ? n : 'x'}`) }),
  );
  // Half of them have the same key.
  expect(statuses(created)).toEqual({ 201: 100 });
  const uids = [...new Set(created.map(({ body }) => String(body['uid'])))];
  expect(uids).toHaveLength(51);
  const deleted = await together(uids.length, (n) =>
    service.call('DELETE', `${path}/${uids[n] ?? ''}`),
  );
  expect(statuses(deleted)).toEqual({ 204: 51 });
  expect(await service.store.contexts.findOne({ _id: contextUid })).toMatchObject({ fileCount: 0 });
});

test('no agent and no user keeps an account that was deleted meanwhile', async () => {
  const agent = await service.call('POST', '/agents', {
    body: { agentName: 'A', externalTenantId: 't' },
  });
  const user = await service.call('POST', '/sdkusers/auth', { body: { externalId: 'u' } });
  const [agentUid, userUid] = [String(agent.body['uid']), String(user.body['userUid'])];
  for (let round = 0; round < 15; round += 1) {
    const made = await service.call('POST', '/accounts', { body: { name: 'Soon gone' } });
    const accountUid = String(made.body['uid']);
    const [changed, added, deleted] = await Promise.all([
      service.call('PATCH', `/agents/${agentUid}`, { body: { accountUids: [accountUid] } }),
      service.call('PUT', `/accounts/${accountUid}/members/${userUid}`),
      service.call('DELETE', `/accounts/${accountUid}`),
    ]);
    expect([200, 400, 422]).toContain(changed.status);
    expect([204, 404]).toContain(added.status);
    expect(deleted.status).toBe(204);
    const naming = { accountUids: accountUid };
    expect(await service.store.agents.countDocuments(naming)).toBe(0);
    expect(await service.store.users.countDocuments(naming)).toBe(0);
  }
});

const setName = (uid: string, agentName: string): Promise<Answer> =>
  service.call('PATCH', `/agents/${uid}`, { body: { agentName } });

async function makeAgents(count: number): Promise<string[]> {
  const body = { agentName: 'A', externalTenantId: 't' };
  const made = await together(count, () => service.call('POST', '/agents', { body }));
  return made.map((answer) => String(answer.body['uid']));
}

test('changes of other resources do not wait for one that is locked', async () => {
  const [locked = '', ...others] = await makeAgents(20);
  await using session = service.store.client.startSession();
  session.startTransaction();
  await service.store.agents.updateOne({ _id: locked }, { $inc: { fileCount: 1 } }, { session });
  const waiting = setName(locked, 'B');
  const answers = await together(others.length, (n) => setName(others[n] ?? '', 'B'));
  expect(statuses(answers)).toEqual({ 200: 19 });
  await session.abortTransaction();
  expect((await waiting).status).toBe(200);
});

test('changes without effect share the transaction of others', async () => {
  const { db } = service.store;
  const [unchanged = '', ...others] = await makeAgents(30);
  expect((await setName(unchanged, 'C')).status).toBe(200);
  await db.setProfilingLevel('all');
  const answers = await together(30, (n) => setName([unchanged, ...others][n] ?? '', 'C'));
  await db.setProfilingLevel('off');
  expect(statuses(answers)).toEqual({ 200: 30 });
  expect(await eventsOf(unchanged)).toHaveLength(2);
  const transactions = await db
    .collection('system.profile')
    .aggregate([
      { $match: { ns: `${db.databaseName}.agents`, 'command.txnNumber': { $exists: true } } },
      { $group: { _id: { session: '$command.lsid.id', number: '$command.txnNumber' } } },
    ])
    .toArray();
  expect(transactions.length).toBeLessThan(15);
});

test('a rejected change does not affect the others', async () => {
  const agents = await makeAgents(30);
  const answers = await together(31, (n) => setName([...agents, 'agt_none'][n] ?? '', 'D'));
  expect(statuses(answers)).toEqual({ 200: 30, 404: 1 });
});

test('a change whose caller has already got a response is not started, alone or with others', async () => {
  const { appUid } = service.app;
  const commit = (uid: string, waitsMs: number, write?: Write<null, AddressedChange>) => {
    const data = { uid, externalTenantId: 't' };
    const report: AddressedChange = { event: 'agent.updated', data, subscribers: [] };
    const beginBeforeMs = performance.now() + waitsMs;
    const pending = { appUid, beginBeforeMs, once: null };
    return service.context.commitChange({ ...pending, write: write ?? report });
  };
  let begun = 0;
  const late = async () => {
    begun += 1;
    return { answer: null, changes: [] };
  };
  const inTime = async () => ({ answer: null, changes: [] });
  const refused = { code: 'unavailable', retryAfterSeconds: expect.any(Number) };
  await expect(commit('alone', 0, late)).rejects.toMatchObject(refused);
  const [first, second, third, fourth, fifth, sixth] = await Promise.allSettled([
    commit('first', 10_000, inTime),
    commit('second', 0, late),
    commit('third', 10_000, inTime),
    commit('fourth', 10_000),
    commit('fifth', 0),
    commit('sixth', 10_000),
  ]);
  for (const made of [first, third, fourth, sixth]) expect(made.status).toBe('fulfilled');
  for (const made of [second, fifth]) expect(made).toMatchObject({ reason: refused });
  expect(begun).toBe(0);
  expect(await eventsOf('fifth')).toEqual([]);
});

test('the uids of the events of one resource sort in the order of its changes', async () => {
  const [agentUid = ''] = await makeAgents(1);
  const answers = await together(60, (n) => setName(agentUid, `Name ${n}`));
  expect(statuses(answers)).toEqual({ 200: 60 });
  const events = await service.store.events
    .find({ resourceUid: agentUid })
    .sort({ _id: 1 })
    .toArray();
  const sequences = events.map(({ sequence }) => sequence ?? 0);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
});

test('the time of an event is when its change is written, however long the change waited', async () => {
  const { commitChange } = service.context;
  const facts = { appUid: service.app.appUid, beginBeforeMs: Infinity, once: null };
  const steps = new EventEmitter();
  const begun = once(steps, 'begun');
  const holdUp: Write<null, AddressedChange> = async () => {
    steps.emit('begun');
    await once(steps, 'go on');
    return { answer: null, changes: [] };
  };
  const first = commitChange({ ...facts, write: holdUp });
  await begun;
  const data = { uid: 'agt_waited', externalTenantId: 't' };
  const change: AddressedChange = { event: 'agent.updated', data, subscribers: [] };
  const write: Write<null, AddressedChange> = async () => ({ answer: null, changes: [change] });
  const waiting = commitChange({ ...facts, write });
  const calledAt = Date.now();
  await waitFor(() => Date.now() > calledAt, { what: 'a later time' });
  steps.emit('go on');
  await Promise.all([first, waiting]);
  const [event] = await eventsOf('agt_waited');
  expect(event?.createdAt.getTime()).toBeGreaterThan(calledAt);
  expect(timeOfId(event?._id ?? '')).toEqual(event?.createdAt);
});

test('many users are added to one account together', async () => {
  const account = await service.call('POST', '/accounts', { body: { name: 'Crowded' } });
  const accountUid = String(account.body['uid']);
  const signedIn = await together(60, (n) =>
    service.call('POST', '/sdkusers/auth', { body: { externalId: `member-${n}` } }),
  );
  const answers = await together(60, (n) =>
    service.call('PUT', `/accounts/${accountUid}/members/${String(signedIn[n]?.body['userUid'])}`),
  );
  expect(statuses(answers)).toEqual({ 204: 60 });
});
