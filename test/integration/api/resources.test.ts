// Agents, contexts and context files: creating, reading, changing and deleting them, and their events.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payloadFaults } from '../../support/payload-schema.ts';
import { startService, type TestService } from '../../support/service.ts';
import { eventsOf, makeContext } from './resource-calls.ts';
import { expectProblem, faultsOf } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

interface Kind {
  entity: string;
  prefix: string;
  body: Record<string, unknown>;
  /** The fields that the API adds. */
  defaults: Record<string, unknown>;
  change: Record<string, unknown>;
}

const kinds: Kind[] = [
  {
    entity: 'agent',
    prefix: 'agt',
    body: { agentName: 'Ann', externalTenantId: 'tenant-1', description: 'helps' },
    defaults: { live: false },
    change: { agentName: 'Bob', live: true },
  },
  {
    entity: 'context',
    prefix: 'ctx',
    body: { contextName: 'Manuals', externalTenantId: 'tenant-1' },
    defaults: {},
    change: { contextName: 'Books', description: 'all' },
  },
  {
    entity: 'contextfile',
    prefix: 'cfl',
    body: { fileName: 'a.pdf', contentType: 'application/pdf', sizeBytes: 0 },
    defaults: { externalTenantId: 'tenant-of-context', processingStatus: 'pending' },
    change: { processingStatus: 'failed', processingError: 'unreadable' },
  },
];

/** Returns the path of a kind's resources; files get a new context. */
async function pathOf({
  entity,
}: Kind): Promise<{ path: string; parent: Record<string, unknown> }> {
  if (entity !== 'contextfile') return { path: `/${entity}s`, parent: {} };
  const contextUid = await makeContext(service, 'tenant-of-context');
  return { path: `/contexts/${contextUid}/files`, parent: { contextUid } };
}

test.each(kinds.map((kind) => [kind.entity, kind] as const))(
  'an %s is created, read, listed, changed and deleted, with an event for each change',
  async (entity, kind) => {
    const { path, parent } = await pathOf(kind);
    const created = await service.call('POST', path, { body: kind.body });
    const uid = String(created.body['uid']);
    const whole = {
      uid,
      appUid: service.app.appUid,
      ...kind.defaults,
      ...parent,
      ...kind.body,
      createdAt: time,
      updatedAt: time,
    };
    expect(created.status).toBe(201);
    expect(uid).toMatch(new RegExp(`^${kind.prefix}_[0-9a-z]{26}$`));
    expect(created.body).toEqual(whole);
    const location = `/api/v1/appuid/${service.app.appUid}${path}/${uid}`;
    expect(created.headers.get('location')).toBe(location);
    expect((await service.raw('GET', location)).body).toEqual(created.body);
    const list = await service.call('GET', `${path}?limit=1`);
    expect(list.body['data']).toEqual([created.body]);

    const changed = await service.call('PATCH', `${path}/${uid}`, { body: kind.change });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...whole,
      ...kind.change,
      createdAt: created.body['createdAt'],
    });
    expect((await service.raw('GET', location)).body).toEqual(changed.body);

    const deleted = await service.call('DELETE', `${path}/${uid}`);
    expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' });
    for (const method of ['GET', 'DELETE'])
      expectProblem(await service.raw(method, location), 404, 'not_found');
    expectProblem(
      await service.call('PATCH', `${path}/${uid}`, { body: kind.change }),
      404,
      'not_found',
    );

    const events = await eventsOf(service, uid);
    expect(events.map((event) => event.event)).toEqual([
      `${entity}.created`,
      `${entity}.updated`,
      `${entity}.deleted`,
    ]);
    expect(events.map((event) => event.data)).toEqual([created.body, changed.body, changed.body]);
    // The catalogue describes the payloads.
    expect(events.flatMap(payloadFaults)).toEqual([]);
  },
);

test.each(kinds.map((kind) => [kind.entity, kind] as const))(
  'a change of an %s to equal values makes no event and keeps updatedAt',
  async (_entity, kind) => {
    const { path } = await pathOf(kind);
    const created = await service.call('POST', path, { body: kind.body });
    const uid = String(created.body['uid']);
    const changeable = Object.keys(kind.change).filter((name) => name in created.body);
    const same = Object.fromEntries(changeable.map((name) => [name, created.body[name]]));
    expect(changeable).not.toEqual([]);
    for (const body of [same, {}]) {
      const answer = await service.call('PATCH', `${path}/${uid}`, { body });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(created.body);
    }
    expect(await eventsOf(service, uid)).toHaveLength(1);
  },
);

test.each(kinds.map((kind) => [kind.entity, kind] as const))(
  'the tenant of an %s cannot be changed',
  async (_entity, kind) => {
    const { path } = await pathOf(kind);
    const { body: created } = await service.call('POST', path, { body: kind.body });
    for (const externalTenantId of ['other', created['externalTenantId']]) {
      const answer = await service.call('PATCH', `${path}/${String(created['uid'])}`, {
        body: { externalTenantId },
      });
      expectProblem(answer, 400, 'invalid_request');
      expect(faultsOf(answer)).toEqual(['#/externalTenantId additionalProperties']);
    }
  },
);

test('a description of null is removed, and an empty one is stored', async () => {
  const { body: agent } = await service.call('POST', '/agents', {
    body: {
      agentName: 'A',
      externalTenantId: 't',
      description: 'old',
      accountUids: [service.app.accountUid],
    },
  });
  const path = `/agents/${String(agent['uid'])}`;
  const empty = await service.call('PATCH', path, { body: { description: '' } });
  expect(empty.body).toMatchObject({ description: '', accountUids: [service.app.accountUid] });
  const cleared = await service.call('PATCH', path, {
    body: { description: null, accountUids: null },
  });
  expect(cleared.status).toBe(200);
  expect(cleared.body).not.toHaveProperty('description');
  expect(cleared.body).not.toHaveProperty('accountUids');
});

test('an agent can name only accounts of its application', async () => {
  const body = { agentName: 'A', externalTenantId: 't' };
  const refused = await service.call('POST', '/agents', {
    body: { ...body, accountUids: ['acc_none'] },
  });
  expectProblem(refused, 422, 'unknown_account_uids');
  expect(faultsOf(refused)).toEqual(['#/accountUids/0 unknown_account']);
  const { body: agent } = await service.call('POST', '/agents', { body });
  const path = `/agents/${String(agent['uid'])}`;
  const change = { accountUids: [service.app.accountUid, 'acc_none'] };
  const changed = await service.call('PATCH', path, { body: change });
  expectProblem(changed, 422, 'unknown_account_uids');
  expect(faultsOf(changed)).toEqual(['#/accountUids/1 unknown_account']);
});
