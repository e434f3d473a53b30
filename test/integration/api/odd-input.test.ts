// Random bodies, odd paths and odd queries: never a 5xx, never a wrong 2xx.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  assert,
  asyncProperty,
  constant,
  constantFrom,
  jsonValue,
  nat,
  oneof,
  record as recordOf,
  string as text,
} from 'fast-check';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';

let service: TestService;
let agentUid: string;
let contextUid: string;
let fileUid: string;
let webhookUid: string;
let userUid: string;

beforeAll(async () => {
  service = await startService({ worker: false });
  const make = async (path: string, body: unknown): Promise<string> =>
    String((await service.call('POST', path, { body })).body['uid']);
  agentUid = await make('/agents', { agentName: 'A', externalTenantId: 't' });
  contextUid = await make('/contexts', { contextName: 'C', externalTenantId: 't' });
  const file = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  fileUid = await make(`/contexts/${contextUid}/files`, file);
  webhookUid = await make('/webhooks', { url: 'http://127.0.0.1:9/', entities: ['contextfile'] });
  const signedIn = await service.call('POST', '/sdkusers/auth', { body: { externalId: 'odd' } });
  userUid = String(signedIn.body['userUid']);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

interface Target {
  method: string;
  path: string;
  fields: string[];
}

function writeRoutes(): Target[] {
  const agent = ['agentName', 'live', 'description', 'accountUids'];
  const context = ['contextName', 'description'];
  const file = ['fileName', 'processingStatus', 'processingError'];
  const webhook = ['url', 'entities', 'active'];
  return [
    {
      method: 'POST',
      path: '/sdkusers/auth',
      fields: ['externalId', 'userEmail', 'name', 'accountUids'],
    },
    { method: 'POST', path: '/sdkusers/token/verify', fields: ['authToken', 'agentUid'] },
    { method: 'PATCH', path: `/sdkusers/${userUid}`, fields: ['name'] },
    { method: 'POST', path: '/accounts', fields: ['name'] },
    { method: 'PATCH', path: `/accounts/${service.app.accountUid}`, fields: ['name'] },
    { method: 'POST', path: '/webhooks', fields: webhook },
    { method: 'PATCH', path: `/webhooks/${webhookUid}`, fields: webhook },
    { method: 'POST', path: '/agents', fields: [...agent, 'externalTenantId'] },
    { method: 'PATCH', path: `/agents/${agentUid}`, fields: agent },
    { method: 'POST', path: '/contexts', fields: [...context, 'externalTenantId'] },
    { method: 'PATCH', path: `/contexts/${contextUid}`, fields: context },
    {
      method: 'POST',
      path: `/contexts/${contextUid}/files`,
      fields: [...file, 'contentType', 'sizeBytes'],
    },
    { method: 'PATCH', path: `/contexts/${contextUid}/files/${fileUid}`, fields: file },
    { method: 'POST', path: '/changes', fields: ['event', 'data'] },
  ];
}

const operator = constantFrom<unknown>(
  { $gt: '' },
  { $ne: null },
  { $where: 'sleep(1000)' },
  { $regex: '.*' },
  ['$$ROOT'],
  '$externalTenantId',
  { $literal: { $function: {} } },
);
const plausible = constantFrom<unknown>(
  true,
  null,
  'ready',
  'a@example.com',
  'https://example.com/',
  ['agent'],
  'agent.created',
  { uid: 'u', externalTenantId: 't' },
  -0,
  1e308,
  '\u0000',
  '\ud800',
);
const value = oneof(jsonValue(), text({ unit: 'binary' }), operator, plausible);

test('random bodies to every write route get 2xx or 4xx, never 5xx', async () => {
  const targets = writeRoutes();
  const call = nat(targets.length - 1).chain((index) => {
    const target = targets[index] as Target;
    const known = Object.fromEntries(target.fields.map((name) => [name, value]));
    const body = oneof(
      { weight: 5, arbitrary: recordOf(known, { requiredKeys: [] }) },
      { weight: 1, arbitrary: jsonValue() },
    );
    return recordOf({ target: constant(target), body });
  });
  await assert(
    asyncProperty(call, async ({ target, body }) => {
      const answer = await service.call(target.method, target.path, { body: JSON.stringify(body) });
      expect(answer.status).toBeLessThan(500);
      expect(answer.status).toBeGreaterThanOrEqual(200);
      if (answer.status >= 400) expectProblem(answer, answer.status, answer.body['code'] as never);
    }),
    // Shrinking sends as many requests again and may outlast the test. The seed identifies the case.
    { numRuns: 400, endOnFailure: true },
  );
});

test('a MongoDB operator in any field of any write route is rejected as the wrong type', async () => {
  for (const { method, path, fields } of writeRoutes()) {
    for (const field of fields) {
      const answer = await service.call(method, path, { body: { [field]: { $gt: '' } } });
      expectProblem(answer, 400, 'invalid_request');
      const inside = field === 'data' ? ['#/data/uid required'] : [`#/${field} type`];
      expect(faultsOf(answer)).toEqual(expect.arrayContaining(inside));
    }
  }
});

test.each([
  '%zz',
  '%00',
  '%',
  '%ff',
  '..%2f..',
  '$ne',
  '{"$gt":""}',
  '[object%20Object]',
  '%F0%9F%98%80',
  'x'.repeat(8_000),
  '__proto__',
])('the uid %j is not found at any position in a path', async (uid) => {
  const paths = [
    `/agents/${uid}`,
    `/webhooks/${uid}`,
    `/contexts/${uid}`,
    `/contexts/${uid}/files`,
    `/contexts/${contextUid}/files/${uid}`,
    `/events/${uid}`,
    `/events/${uid}/deliveries`,
  ];
  for (const path of paths) {
    expectProblem(await service.call('GET', path), 404, 'not_found');
  }
  expectProblem(await service.call('DELETE', `/agents/${uid}`), 404, 'not_found');
  expectProblem(await service.raw('GET', `/api/v1/appuid/${uid}/agents`), 404, 'not_found');
});

const lists = ['/agents', '/contexts', '/events'];

test.each([
  'limit=0',
  'limit=201',
  'limit=-1',
  'limit=1e2',
  'limit=',
  'limit=0x10',
  'limit=1.0',
  'limit=%201',
  'limit=%C2%B2',
  'limit=99999',
])('the query ?%s gets 400 for its limit, on every list', async (query) => {
  for (const path of [...lists, `/contexts/${contextUid}/files`]) {
    const answer = await service.call('GET', `${path}?${query}`);
    expectProblem(answer, 400, 'invalid_request');
    expect(faultsOf(answer)).toEqual(['limit range']);
  }
});

test.each([
  'cursor=',
  'cursor=nonsense',
  'cursor=%00',
  `cursor=${'A'.repeat(4_000)}`,
  'cursor=eyIkZ3QiOiIifQ',
  'cursor=null',
])('the query ?%s gets 400 invalid_cursor, on every list', async (query) => {
  for (const path of [...lists, `/contexts/${contextUid}/files`]) {
    const answer = await service.call('GET', `${path}?${query}`);
    expectProblem(answer, 400, 'invalid_cursor');
    expect(faultsOf(answer)).toEqual(['cursor list']);
  }
});

test('the limits 1 and 200 are accepted', async () => {
  for (const path of lists) {
    expect(itemsOf(await service.call('GET', `${path}?limit=1`))).toHaveLength(1);
    expect((await service.call('GET', `${path}?limit=200`)).status).toBe(200);
  }
});

test.each(['a b', 'x'.repeat(256), '', 'kéy', 'a\tb'])(
  'the Idempotency-Key %j gets 400',
  async (key) => {
    const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': key };
    const body = { agentName: 'A', externalTenantId: 't' };
    expectProblem(
      await service.call('POST', '/agents', { headers, body }),
      400,
      'malformed_request',
    );
  },
);

test('calls that take no Idempotency-Key ignore a malformed one', async () => {
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': 'a b' };
  const { status } = await service.call('POST', '/sdkusers/auth', {
    headers,
    body: { externalId: 'keyless' },
  });
  expect(status).toBe(200);
  expect((await service.call('GET', '/webhooks', { headers })).status).toBe(200);
  expect((await service.call('DELETE', '/agents/agt_none', { headers })).status).toBe(404);
  expect((await service.raw('GET', '/healthz', { headers })).status).toBe(200);
  const retired = await service.raw('POST', '/api-authenticate-embedded-user', { headers });
  expectProblem(retired, 410, 'legacy_auth_retired');
});
