// Agents, contexts and context files: creating, reading, changing, deleting, and the events of it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { limits } from '../../../lib/config.ts';
import { startService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';
import { eventsOf, makeContext, makeFile } from './resource-calls.ts';
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
  /** What the API adds of its own. */
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

/** Gives where the resources of a kind live; files get a new context. */
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
  },
);

test.each(kinds.map((kind) => [kind.entity, kind] as const))(
  'a change of an %s that changes nothing makes no event and leaves updatedAt',
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

test('a description of null takes it away, of an empty text keeps it', async () => {
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

test('an agent takes only accounts of its application', async () => {
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

test('a file is of one context alone', async () => {
  const [contextUid, otherUid] = [await makeContext(service), await makeContext(service)];
  const fileUid = await makeFile(service, contextUid);
  for (const method of ['GET', 'DELETE']) {
    expectProblem(
      await service.call(method, `/contexts/${otherUid}/files/${fileUid}`),
      404,
      'not_found',
    );
  }
  const body = { fileName: 'stolen' };
  expectProblem(
    await service.call('PATCH', `/contexts/${otherUid}/files/${fileUid}`, { body }),
    404,
    'not_found',
  );
  expect((await service.call('GET', `/contexts/${contextUid}/files/${fileUid}`)).status).toBe(200);
});

test('there are no files under a context that is not there', async () => {
  const body = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  expectProblem(await service.call('POST', '/contexts/ctx_none/files', { body }), 404, 'not_found');
  expectProblem(await service.call('GET', '/contexts/ctx_none/files'), 404, 'not_found');
});

test('each processing status is an event, and one other than failed takes the error away', async () => {
  const contextUid = await makeContext(service);
  const fileUid = await makeFile(service, contextUid);
  const path = `/contexts/${contextUid}/files/${fileUid}`;
  const steps = [
    { processingStatus: 'processing' },
    { processingStatus: 'failed', processingError: 'too long' },
    { processingStatus: 'pending' },
    { processingStatus: 'ready' },
  ];
  for (const body of steps) {
    const answer = await service.call('PATCH', path, { body });
    expect(answer.body).toMatchObject(body);
    expect('processingError' in answer.body).toBe('processingError' in body);
  }
  const statuses = (await eventsOf(service, fileUid)).map(
    (event) => event.data['processingStatus'],
  );
  expect(statuses).toEqual(['pending', 'processing', 'failed', 'pending', 'ready']);
});

test('deleting a context deletes its files first, with an event for each, the context last', async () => {
  const contextUid = await makeContext(service);
  const fileUids = [
    await makeFile(service, contextUid),
    await makeFile(service, contextUid),
    await makeFile(service, contextUid),
  ];
  const kept = await makeFile(service, await makeContext(service));
  expect((await service.call('DELETE', `/contexts/${contextUid}`)).status).toBe(204);
  const deletions = await service.store.events
    .find({
      event: { $in: ['contextfile.deleted', 'context.deleted'] },
      resourceUid: { $in: [contextUid, ...fileUids, kept] },
    })
    .sort({ $natural: 1 })
    .toArray();
  const order = deletions.map((event) => event.resourceUid);
  expect(order.slice(0, -1).toSorted()).toEqual(fileUids.toSorted());
  expect(order.at(-1)).toBe(contextUid);
  expect(await service.store.contextFiles.countDocuments({ contextUid })).toBe(0);
  expect(await service.store.contextFiles.findOne({ _id: kept })).not.toBeNull();
});

test('files created while their context is deleted are deleted with it or refused', async () => {
  const contextUid = await makeContext(service);
  const body = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const calls = [
    ...Array.from({ length: 10 }, () =>
      service.call('POST', `/contexts/${contextUid}/files`, { body }),
    ),
    service.call('DELETE', `/contexts/${contextUid}`),
    ...Array.from({ length: 10 }, () =>
      service.call('POST', `/contexts/${contextUid}/files`, { body }),
    ),
  ];
  const answers = await Promise.all(calls);
  for (const answer of answers) expect([201, 204, 404]).toContain(answer.status);
  expect(await service.store.contextFiles.countDocuments({ contextUid })).toBe(0);
  const created = answers.filter((answer) => answer.status === 201);
  for (const answer of created) {
    const events = await eventsOf(service, String(answer.body['uid']));
    expect(events.map((event) => event.event)).toEqual([
      'contextfile.created',
      'contextfile.deleted',
    ]);
  }
});

test('a context has at most 1,000 files, and a deleted one gives its place back', async () => {
  const contextUid = await makeContext(service);
  const fileUid = await makeFile(service, contextUid);
  const filled = { $set: { fileCount: limits.filesPerContextMax } };
  await service.store.contexts.updateOne({ _id: contextUid }, filled);
  const body = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  expectProblem(
    await service.call('POST', `/contexts/${contextUid}/files`, { body }),
    409,
    'limit_reached',
  );
  expect((await service.call('DELETE', `/contexts/${contextUid}/files/${fileUid}`)).status).toBe(
    204,
  );
  expect((await service.call('POST', `/contexts/${contextUid}/files`, { body })).status).toBe(201);
  expectProblem(
    await service.call('POST', `/contexts/${contextUid}/files`, { body }),
    409,
    'limit_reached',
  );
});
