// Changes that meet: each is made once, and none is refused for the others.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventDocument } from '../../../lib/model/event.ts';
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

/** Makes the calls, and those again that a slow machine refused. */
function together(count: number, call: (n: number) => Promise<Answer>): Promise<Answer[]> {
  const callInTime = async (n: number): Promise<Answer | false> => {
    const answer = await call(n);
    return !(answer.status === 503 && tooSlow.test(String(answer.body['detail']))) && answer;
  };
  return Promise.all(Array.from({ length: count }, (_, n) => waitFor(() => callInTime(n))));
}

const eventsOf = (resourceUid: string): Promise<EventDocument[]> =>
  service.store.events.find({ resourceUid }).toArray();

/** Counts answers by status. */
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

test('a hundred reports of one resource, each with a key of its own, are numbered without gaps', async () => {
  const answers = await together(100, (n) => report('one', `key-${n}`));
  expect(statuses(answers)).toEqual({ 202: 100 });
  const events = await eventsOf('one');
  const sequences = events.map(({ sequence }) => sequence ?? 0).toSorted((a, b) => a - b);
  expect(sequences).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
});

test('of concurrent reports with the same key one is made, and all get its answer', async () => {
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

test('no agent and no user names an account that was deleted meanwhile', async () => {
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
