// A change and its event are committed together or not at all, with any number of concurrent callers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeJwt } from 'jose';
import { callPatiently } from '../../support/call-patiently.ts';
import { startService, type TestService } from '../../support/service.ts';
import { signIn, verify } from './token-forge.ts';
import { eventsOf, makeAgent, makeContext, makeFile } from './resource-calls.ts';
import { expectProblem } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
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
    const { sub } = decodeJwt(token);
    const calls = [
      ['POST', `/sdkusers/${sub}/tokens/revoke`],
      ['POST', '/sdkusers/tokens/revoke'],
      ['DELETE', `/sdkusers/${sub}`],
    ] as const;
    await refusing(collection, async () => {
      for (const [method, path] of calls)
        expectProblem(await service.call(method, path), 500, 'internal');
    });
    expect(await verify(service, token)).toMatchObject({ active: true });
    const made = { event: /\.tokens_revoked$/ };
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
  const stored = await service.call('GET', `/agents/${uid}`);
  expect(stored.body['agentName']).toBe(written.at(-1));
});

test('30 equal concurrent changes make one event', async () => {
  const uid = await makeAgent(service, { agentName: 'Start' });
  const body = { agentName: 'Same', live: true };
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => service.call('PATCH', `/agents/${uid}`, { body })),
  );
  for (const answer of answers)
    if (answer.status !== 200) expectProblem(answer, 503, 'unavailable');
  const events = await eventsOf(service, uid);
  expect(events.map((event) => event.event)).toEqual(['agent.created', 'agent.updated']);
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

test('of 10 concurrent deletions one succeeds, with one event', async () => {
  const uid = await makeAgent(service);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => callPatiently(() => service.call('DELETE', `/agents/${uid}`))),
  );
  expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
    204,
    ...Array<number>(9).fill(404),
  ]);
  const events = await eventsOf(service, uid);
  expect(events.map((event) => event.event)).toEqual(['agent.created', 'agent.deleted']);
});

test('with concurrent changes and a deletion, no event follows that of the deletion', async () => {
  const uid = await makeAgent(service);
  const path = `/agents/${uid}`;
  const change = (i: number) => service.call('PATCH', path, { body: { agentName: `Name ${i}` } });
  const [deleted, ...changed] = await Promise.all([
    callPatiently(() => service.call('DELETE', path)),
    ...Array.from({ length: 10 }, (_, i) => callPatiently(() => change(i))),
  ]);
  expect(deleted.status).toBe(204);
  const good = changed.filter((answer) => answer.status === 200).length;
  expect(changed.filter((answer) => answer.status === 404)).toHaveLength(10 - good);
  const events = (await eventsOf(service, uid)).map((event) => event.event);
  expect(events).toEqual([
    'agent.created',
    ...Array<string>(good).fill('agent.updated'),
    'agent.deleted',
  ]);
});
