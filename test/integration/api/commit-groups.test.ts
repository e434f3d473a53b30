// What one change of a group does to the others: nothing.
import type { ClientSession } from 'mongodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AddressedChange } from '../../../api/changes/make-events.ts';
import type { PendingChange, Write } from '../../../api/changes/write-changes.ts';
import { limits } from '../../../lib/limits.ts';
import type { IdempotentCall } from '../../../lib/mongo/idempotency.ts';
import { sequenceId } from '../../../lib/mongo/sequences.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import type { SecretBox } from '../../../lib/platform/secret-box.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(() => service?.[Symbol.asyncDispose]());

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
  const commits = vi.spyOn(service.context, 'commitChange');
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
