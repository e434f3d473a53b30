// Agents, contexts and context files: creating, reading, changing and deleting them, and their events; the media type
// (RFC 9110), processing status and number of files.
import { limits } from '../../../lib/limits.ts';
import type { Answer } from '../../support/api-client.ts';
import { payloadFaults } from '../../support/payload-schema.ts';
import { useService } from '../../support/use-service.ts';
import { eventsOf, makeContext, makeFile } from './resource-calls.ts';
import { expectProblem, faultsOf } from './problems.ts';

const service = useService({ worker: false });

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

test('a file is found only under its own context', async () => {
  const [contextUid, otherUid] = [await makeContext(service), await makeContext(service)];
  const fileUid = await makeFile(service, contextUid);
  for (const method of ['GET', 'DELETE', 'PATCH']) {
    const options = method === 'PATCH' ? { body: { fileName: 'stolen' } } : {};
    const answer = await service.call(method, `/contexts/${otherUid}/files/${fileUid}`, options);
    expectProblem(answer, 404, 'not_found');
  }
  expect((await service.call('GET', `/contexts/${contextUid}/files/${fileUid}`)).status).toBe(200);
});

test('each change of the processing status is an event, and a status other than failed clears the error', async () => {
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

test('a processing error is stored with the status sent with it, on creation and on a change', async () => {
  const path = `/contexts/${await makeContext(service)}/files`;
  const given = { processingStatus: 'ready', processingError: 'two pages were left out' };
  const body = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const created = await service.call('POST', path, { body: { ...body, ...given } });
  expect(created.body).toMatchObject(given);
  const { body: other } = await service.call('POST', path, { body });
  const file = `${path}/${String(other['uid'])}`;
  const changed = await service.call('PATCH', file, { body: given });
  expect(changed.body).toMatchObject(given);
  const without = await service.call('PATCH', file, { body: { processingStatus: 'ready' } });
  expect('processingError' in without.body).toBe(false);
});

test('deleting a context deletes its files first, with an event for each', async () => {
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

test('files created while their context is deleted are either deleted with it or rejected', async () => {
  const contextUid = await makeContext(service);
  const body = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const addTen = () =>
    Array.from({ length: 10 }, () =>
      service.call('POST', `/contexts/${contextUid}/files`, { body }),
    );
  const calls = [...addTen(), service.call('DELETE', `/contexts/${contextUid}`), ...addTen()];
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

test('a context can have at most 1,000 files, and deleting one allows another', async () => {
  const contextUid = await makeContext(service);
  const fileUid = await makeFile(service, contextUid);
  const filled = { $set: { fileCount: limits.filesPerContextMax } };
  await service.store.contexts.updateOne({ _id: contextUid }, filled);
  const body = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const add = () => service.call('POST', `/contexts/${contextUid}/files`, { body });
  expectProblem(await add(), 409, 'limit_reached');
  const deleted = await service.call('DELETE', `/contexts/${contextUid}/files/${fileUid}`);
  expect(deleted.status).toBe(204);
  expect((await add()).status).toBe(201);
  expectProblem(await add(), 409, 'limit_reached');
});

async function createFile(contentType: string): Promise<Answer> {
  const path = `/contexts/${await makeContext(service)}/files`;
  return service.call('POST', path, { body: { fileName: 'f', contentType, sizeBytes: 1 } });
}

test.each([
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'Text/HTML;Charset="utf-8"',
  'text/plain ; charset=utf-8; format=flowed',
  'a/b; q="a \\"quoted\\" [text]"',
  `a/${'b'.repeat(125)}`,
])('the contentType %j is accepted unchanged', async (contentType) => {
  const answer = await createFile(contentType);
  expect(answer.status).toBe(201);
  expect(answer.body['contentType']).toBe(contentType);
});

test.each([
  'pdf',
  'text/',
  'text /plain',
  'text/plain;',
  'text/plain; charset=',
  'text/plain; charset="utf-8',
  'text/plain;\tcharset=utf-8',
  'text/plän',
])(
  'the contentType %j is rejected with an error in words, without a pattern',
  async (contentType) => {
    const answer = await createFile(contentType);
    expectProblem(answer, 400, 'invalid_request');
    expect(faultsOf(answer)).toEqual(['#/contentType format']);
    expect(answer.body['detail']).toBe(
      'contentType must be a media type such as application/pdf or text/plain; charset=utf-8',
    );
  },
);
