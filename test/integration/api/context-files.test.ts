// The files of a context: their paths, processing status, number, and deletion with the context.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../../lib/limits.ts';
import { startService, type TestService } from '../../support/service.ts';
import { eventsOf, makeContext, makeFile } from './resource-calls.ts';
import { expectProblem } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test('a file is found only under its own context', async () => {
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

test('the files of an unknown context are not found', async () => {
  const body = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  expectProblem(await service.call('POST', '/contexts/ctx_none/files', { body }), 404, 'not_found');
  expectProblem(await service.call('GET', '/contexts/ctx_none/files'), 404, 'not_found');
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

test('a context can have at most 1,000 files, and deleting one allows another', async () => {
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
