// Reported changes (POST …/changes): which are accepted, the events they become, and that one change of a group does
// nothing to the others.
import type { ClientSession } from 'mongodb';
import type { AddressedChange } from '../../../api/changes/make-events.ts';
import type { PendingChange, Write } from '../../../api/changes/write-changes.ts';
import { limits } from '../../../lib/limits.ts';
import type { IdempotentCall } from '../../../lib/mongo/idempotency.ts';
import { sequenceId } from '../../../lib/mongo/sequences.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import type { SecretBox } from '../../../lib/platform/secret-box.ts';
import { eventNames } from '../../../lib/model/event-name.ts';
import { useService } from '../../support/use-service.ts';
import { eventsOf } from './resource-calls.ts';
import { expectProblem, itemsOf } from './problems.ts';

const service = useService({ worker: false });

test('there are nine events', () => {
  expect(eventNames).toHaveLength(9);
});

test.each(eventNames)(
  'a reported %s gets 202 and becomes one event with its unchanged data',
  async (event) => {
    const data = {
      uid: `theirs-${event}`,
      externalTenantId: 't',
      own: { list: [1, null, 'é😀'], empty: {} },
      appUid: 'their app',
    };
    const answer = await service.call('POST', '/changes', { body: { event, data } });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      eventId: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      event,
      resourceUid: data.uid,
    });
    const events = await eventsOf(service, data.uid);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ eventId: answer.body['eventId'], event, data });
    expect(JSON.stringify(events[0]?.data)).toBe(JSON.stringify(data));
    const read = await service.call('GET', `/events/${String(answer.body['eventId'])}`);
    expect(read.body).toMatchObject({
      event,
      resourceUid: data.uid,
      externalTenantId: 't',
      payload: events[0],
    });
  },
);

test('events are found by the longest uid that can be reported', async () => {
  const uid = 'x'.repeat(200);
  const body = { event: 'agent.created', data: { uid, externalTenantId: 't' } };
  const { eventId } = (await service.call('POST', '/changes', { body })).body;
  const found = await service.call('GET', `/events?resourceUid=${uid}`);
  expect(itemsOf(found)).toMatchObject([{ eventId, resourceUid: uid }]);
  const longer = await service.call('GET', `/events?resourceUid=${uid}x`);
  expectProblem(longer, 400, 'invalid_request');
});

/** A reported change whose request body has exactly `bytes` bytes. */
function changeOf(bytes: number, uid: string): string {
  const make = (filler: string): string =>
    JSON.stringify({ event: 'agent.updated', data: { uid, externalTenantId: 't', filler } });
  return make('x'.repeat(bytes - make('').length));
}

test('a body within the limit whose payload is over it gets 413 and stores nothing', async () => {
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': 'too-large' };
  const keysBefore = await service.store.idempotencyKeys.countDocuments();
  const body = changeOf(limits.requestBytesMax, 'too-large');
  expectProblem(
    await service.call('POST', '/changes', { body, headers }),
    413,
    'payload_too_large',
  );
  expect(await eventsOf(service, 'too-large')).toEqual([]);
  expect(await service.store.idempotencyKeys.countDocuments()).toBe(keysBefore);
  // Nor a gap in the sequence.
  const taken = await service.call('POST', '/changes', { body: changeOf(1_000, 'too-large') });
  expect(taken.status).toBe(202);
  const stored = await service.store.events.find({ resourceUid: 'too-large' }).toArray();
  expect(stored).toMatchObject([{ sequence: 1 }]);
});

test('a payload of exactly 256 KiB with the longest number is accepted, and one a byte longer is rejected', async () => {
  const small = await service.call('POST', '/changes', { body: changeOf(1_000, 'measure') });
  const { payload } = (await service.call('GET', `/events/${String(small.body['eventId'])}`)).body;
  const longest = JSON.stringify({ ...Object(payload), sequence: Number.MAX_SAFE_INTEGER });
  const envelope = Buffer.byteLength(longest) - 1_000;
  const exact = limits.payloadBytesMax - envelope;
  const taken = await service.call('POST', '/changes', { body: changeOf(exact, 'measure') });
  expect(taken.status).toBe(202);
  const refused = await service.call('POST', '/changes', { body: changeOf(exact + 1, 'measure') });
  expectProblem(refused, 413, 'payload_too_large');
});

/** Inserts an agent, and returns a write that another transaction keeps from ending, until `end` is called. */
async function lockAgent(): Promise<{
  write: Write<null, AddressedChange>;
  end: () => Promise<void>;
}> {
  const { client, agents } = service.store;
  const body = { agentName: 'A', externalTenantId: 't' };
  const _id = String((await service.call('POST', '/agents', { body })).body['uid']);
  const holder = client.startSession();
  holder.startTransaction();
  await agents.updateOne({ _id }, { $set: { agentName: 'Held' } }, { session: holder });
  return {
    async write(session) {
      await agents.updateOne({ _id }, { $set: { agentName: 'Wanted' } }, { session });
      return { answer: null, changes: [] };
    },
    async end() {
      await holder.abortTransaction();
      await holder.endSession();
    },
  };
}

const usedOnce: IdempotentCall = {
  key: { id: 'used-before', bodyHash: 'x' },
  secretBox: {} as SecretBox,
  now: new Date(),
};
const noChange = { answer: null, changes: [] };
const nothing = async () => noChange;

interface Culprit extends Partial<PendingChange> {
  end?: () => Promise<void>;
}

const culprits: [string, () => Promise<Culprit> | Culprit, object | null][] = [
  [
    'is rejected',
    () => ({ write: () => Promise.reject(new AppError('not_found', 'no')) }),
    { code: 'not_found' },
  ],
  [
    'MongoDB cannot store',
    () => ({
      async write(session) {
        const text = 'x'.repeat(17_000_000);
        await service.store.agents.updateOne({}, { $set: { agentName: text } }, { session });
        return noChange;
      },
    }),
    { name: expect.stringMatching(/^Mongo/) },
  ],
  ['repeats an idempotency key', () => ({ write: nothing, once: usedOnce }), { name: 'Error' }],
  ['is late', () => ({ write: nothing, beginBeforeMs: 0 }), { code: 'unavailable' }],
  ['waits for a lock', lockAgent, null],
];

test.each(culprits)(
  'a change that %s leaves the others of its application in one transaction',
  async (_what, make, reason) => {
    const { context, store, app } = service;
    const facts = { appUid: app.appUid, beginBeforeMs: performance.now() + 10_000, once: null };
    const { key } = usedOnce;
    await store.idempotencyKeys.updateOne(
      { _id: key.id },
      { $set: { createdAt: new Date() } },
      { upsert: true },
    );
    const { end, ...fields } = await make();
    const sessions = new Map<number, ClientSession>();
    const good = (n: number): Promise<unknown> => {
      const write: Write<null, AddressedChange> = async (session) => {
        sessions.set(n, session);
        return noChange;
      };
      return context.commitChange({ ...facts, write });
    };
    const before = [good(0), good(1)];
    const bad = context.commitChange({ ...facts, write: nothing, ...fields });
    await Promise.all([...before, ...Array.from({ length: 20 }, (_, n) => good(n + 2))]);
    expect([sessions.size, new Set(sessions.values()).size]).toEqual([22, 1]);
    await end?.();
    await (reason === null ? bad : expect(bad).rejects.toMatchObject(reason));
  },
);

test('a report that waits for a lock holds up no report of another application', async () => {
  const { store, context, app } = service;
  const commit = (appUid: string): Promise<unknown> => {
    const data = { uid: 'counted', externalTenantId: 't' };
    const write: AddressedChange = { event: 'agent.updated', data, subscribers: [] };
    return context.commitChange({ appUid, beginBeforeMs: Infinity, once: null, write });
  };
  await commit(app.appUid);
  await using holder = store.client.startSession();
  holder.startTransaction();
  const _id = sequenceId({ appUid: app.appUid, entity: 'agent', resourceUid: 'counted' });
  await store.sequences.updateOne({ _id }, { $inc: { last: 1 } }, { session: holder });
  let isOver = false;
  const waiting = commit(app.appUid).then(() => (isOver = true));
  await Promise.all([commit('app_other'), commit('app_third')]);
  expect(isOver).toBe(false);
  await holder.abortTransaction();
  await waiting;
});

test('a report whose payload is too large joins no others', async () => {
  const commits = jest.spyOn(service.context, 'commitChange');
  const empty = { uid: 'long', externalTenantId: 't', text: '' };
  const length = JSON.stringify({ event: 'agent.updated', data: empty }).length;
  const data = { ...empty, text: 'x'.repeat(limits.requestBytesMax - length) };
  const body = { event: 'agent.updated', data };
  const key = { 'x-api-key': service.app.apiKey };
  for (const headers of [key, { ...key, 'idempotency-key': 'long' }]) {
    const answer = await service.call('POST', '/changes', { body, headers });
    expectProblem(answer, 413, 'payload_too_large');
  }
  expect(commits).not.toHaveBeenCalled();
  commits.mockRestore();
});
