// A change and its event are committed together or not at all; of concurrent changes each is made once, and none is
// rejected because of the others.
import { EventEmitter, once } from 'node:events';
import { decodeJwt } from 'jose';
import type { Write } from '../../../api/changes/write-changes.ts';
import type { AddressedChange } from '../../../api/changes/make-events.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { timeOfId } from '../../../lib/platform/ids.ts';
import type { Answer } from '../../support/api-client.ts';
import { callPatiently } from '../../support/call-patiently.ts';
import { useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectProblem, tooSlow } from './problems.ts';
import { eventsOf, makeAgent, makeContext, makeFile } from './resource-calls.ts';
import { signIn, verify } from './token-forge.ts';

const service = useService({ worker: false });

/** Makes the calls, and repeats those that a slow machine rejected. */
function together(count: number, call: (n: number) => Promise<Answer>): Promise<Answer[]> {
  const callInTime = async (n: number): Promise<Answer | false> => {
    const answer = await call(n);
    return !(answer.status === 503 && tooSlow.test(String(answer.body['detail']))) && answer;
  };
  return Promise.all(Array.from({ length: count }, (_, n) => waitFor(() => callInTime(n))));
}

const storedEventsOf = (resourceUid: string): Promise<EventDocument[]> =>
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
  const events = await storedEventsOf('one');
  const sequences = events.map(({ sequence }) => sequence ?? 0).toSorted((a, b) => a - b);
  expect(sequences).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
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

const setName = (uid: string, agentName: string): Promise<Answer> =>
  service.call('PATCH', `/agents/${uid}`, { body: { agentName } });

async function makeAgents(count: number): Promise<string[]> {
  const body = { agentName: 'A', externalTenantId: 't' };
  const made = await together(count, () => service.call('POST', '/agents', { body }));
  return made.map((answer) => String(answer.body['uid']));
}

test('changes without effect share the transaction of others', async () => {
  const { db } = service.store;
  const [unchanged = '', ...others] = await makeAgents(30);
  expect((await setName(unchanged, 'C')).status).toBe(200);
  await db.setProfilingLevel('all');
  const answers = await together(30, (n) => setName([unchanged, ...others][n] ?? '', 'C'));
  await db.setProfilingLevel('off');
  expect(statuses(answers)).toEqual({ 200: 30 });
  expect(await storedEventsOf(unchanged)).toHaveLength(2);
  const transactions = await db
    .collection('system.profile')
    .aggregate([
      { $match: { ns: `${db.databaseName}.agents`, 'command.txnNumber': { $exists: true } } },
      { $group: { _id: { session: '$command.lsid.id', number: '$command.txnNumber' } } },
    ])
    .toArray();
  expect(transactions.length).toBeLessThan(15);
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
  expect(await storedEventsOf('fifth')).toEqual([]);
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
  const [event] = await storedEventsOf('agt_waited');
  expect(event?.createdAt.getTime()).toBeGreaterThan(calledAt);
  expect(timeOfId(event?._id ?? '')).toEqual(event?.createdAt);
});

/** Makes the database reject every new document in a collection while `work` runs. */
async function refusing(collection: string, work: () => Promise<void>): Promise<void> {
  const validator = { neverThere: { $type: 'bool' } };
  await service.store.db.command({ collMod: collection, validator, validationLevel: 'strict' });
  try {
    await work();
  } finally {
    await service.store.db.command({ collMod: collection, validator: {}, validationLevel: 'off' });
  }
}

test('when the event cannot be written, the change is not written and its Idempotency-Key stays free', async () => {
  const agentUid = await makeAgent(service, { agentName: 'Before' });
  const contextUid = await makeContext(service);
  const fileUid = await makeFile(service, contextUid);
  const events = await service.store.events.countDocuments();
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': 'atomic' };
  const body = { agentName: 'Never', externalTenantId: 't' };

  await refusing('events', async () => {
    const answers = [
      await service.call('POST', '/agents', { headers, body }),
      await service.call('PATCH', `/agents/${agentUid}`, { body: { agentName: 'Never' } }),
      await service.call('DELETE', `/agents/${agentUid}`),
      await service.call('DELETE', `/contexts/${contextUid}/files/${fileUid}`),
      await service.call('DELETE', `/contexts/${contextUid}`),
    ];
    for (const answer of answers) {
      expectProblem(answer, 500, 'internal');
      expect(answer.text).not.toMatch(/mongo|validation/i);
    }
  });

  expect(await service.store.agents.countDocuments({ agentName: 'Never' })).toBe(0);
  expect((await service.call('GET', `/agents/${agentUid}`)).body['agentName']).toBe('Before');
  const file = await service.call('GET', `/contexts/${contextUid}/files/${fileUid}`);
  expect(file.status).toBe(200);
  expect((await service.store.contexts.findOne({ _id: contextUid }))?.fileCount).toBe(1);
  expect(await service.store.events.countDocuments()).toBe(events);
  expect((await service.call('POST', '/agents', { headers, body })).status).toBe(201);
});

test('when the transaction fails after it has written the event, the event does not exist', async () => {
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': 'late' };
  const body = { agentName: 'Too late', externalTenantId: 'late' };
  await refusing('idempotencyKeys', async () => {
    expectProblem(await service.call('POST', '/agents', { headers, body }), 500, 'internal');
  });
  expect(await service.store.events.countDocuments({ externalTenantId: 'late' })).toBe(0);
  expect(await service.store.agents.countDocuments({ agentName: 'Too late' })).toBe(0);
  expect((await service.call('POST', '/agents', { headers, body })).status).toBe(201);
  expect(await service.store.events.countDocuments({ externalTenantId: 'late' })).toBe(1);
});

test.each(['events', 'auditLog'])(
  'when the transaction of a revocation fails at %s, no token is revoked and there is no event',
  async (collection) => {
    const token = await signIn(service, { externalId: collection });
    const { sub, jti } = decodeJwt(token);
    const calls = [
      ['POST', `/sdkusers/${sub}/tokens/${jti}/revoke`],
      ['POST', `/sdkusers/${sub}/tokens/revoke`],
      ['POST', '/sdkusers/tokens/revoke'],
      ['DELETE', `/sdkusers/${sub}`],
    ] as const;
    await refusing(collection, async () => {
      for (const [method, path] of calls)
        expectProblem(await service.call(method, path), 500, 'internal');
    });
    expect(await verify(service, token)).toMatchObject({ active: true });
    const made = { event: /tokens?_revoked$/ };
    expect(await service.store.events.countDocuments(made)).toBe(0);
    expect(await service.store.auditLog.countDocuments({ 'target.uid': sub })).toBe(0);
  },
);

test('of 30 concurrent changes of one agent each success has one event, and the last one is stored', async () => {
  const uid = await makeAgent(service, { agentName: 'Start' });
  const names = Array.from({ length: 30 }, (_, i) => `Name ${i}`);
  const answers = await Promise.all(
    names.map((agentName) => service.call('PATCH', `/agents/${uid}`, { body: { agentName } })),
  );
  const failed = answers.filter((answer) => answer.status !== 200);
  for (const answer of failed) expectProblem(answer, 503, 'unavailable');
  const good = answers.filter((answer) => answer.status === 200);
  expect(good.length).toBeGreaterThan(0);
  const events = await eventsOf(service, uid);
  const written = events
    .filter((event) => event.event === 'agent.updated')
    .map((event) => String(event.data['agentName']));
  expect(written.toSorted()).toEqual(
    good.map((answer) => String(answer.body['agentName'])).toSorted(),
  );
  // Their uids sort in the order of the changes.
  const eventIds = events.map(({ eventId }) => eventId);
  expect(eventIds).toEqual(eventIds.toSorted());
  const stored = await service.call('GET', `/agents/${uid}`);
  expect(stored.body['agentName']).toBe(written.at(-1));
});

test('concurrent changes of different fields are all stored', async () => {
  const uid = await makeAgent(service, { agentName: 'Start' });
  const bodies = [{ agentName: 'Changed' }, { live: true }, { description: 'told' }];
  const answers = await Promise.all(
    bodies.map((body) => callPatiently(() => service.call('PATCH', `/agents/${uid}`, { body }))),
  );
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  const stored = await service.call('GET', `/agents/${uid}`);
  expect(stored.body).toMatchObject({ agentName: 'Changed', live: true, description: 'told' });
  expect((await eventsOf(service, uid)).at(-1)?.data).toEqual(stored.body);
});

test('with 10 concurrent changes and 10 deletions one deletion succeeds, and no event follows its event', async () => {
  const uid = await makeAgent(service);
  const path = `/agents/${uid}`;
  const change = (i: number) => service.call('PATCH', path, { body: { agentName: `Name ${i}` } });
  const many = (call: (i: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: 10 }, (_, i) => callPatiently(() => call(i))));
  const [changed, deleted] = await Promise.all([
    many(change),
    many(() => service.call('DELETE', path)),
  ]);
  const statusesOfDeletions = deleted.map(({ status }) => status).toSorted((x, y) => x - y);
  expect(statusesOfDeletions).toEqual([204, ...Array<number>(9).fill(404)]);
  const good = changed.filter((answer) => answer.status === 200).length;
  expect(changed.filter((answer) => answer.status === 404)).toHaveLength(10 - good);
  const events = (await eventsOf(service, uid)).map((event) => event.event);
  expect(events).toEqual([
    'agent.created',
    ...Array<string>(good).fill('agent.updated'),
    'agent.deleted',
  ]);
});
