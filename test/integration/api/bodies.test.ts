// The checks of a request's body: its type, encoding, JSON and schema.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonBody } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, faultsOf, type Refusal } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** Posts the bytes with only these headers and the key. */
async function post(
  path: string,
  body: Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Refusal> {
  const response = await fetch(`${service.apiUrl}/api/v1/appuid/${service.app.appUid}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': service.app.apiKey, ...headers },
    body: new Uint8Array(body),
  });
  const parsed = JSON.parse(await response.text()) as JsonBody;
  return { status: response.status, headers: response.headers, body: parsed };
}

const agent = { agentName: 'Agent', externalTenantId: 'tenant' };

test.each([
  ['nothing but spaces', '  '],
  ['an open brace', '{'],
  ['two values', '{} {}'],
  ['a trailing comma', '{"agentName":"a",}'],
  ['single quotes', "{'agentName':'a'}"],
  ['NaN', '{"agentName":NaN}'],
  ['a comment', '{/**/}'],
  ['a raw newline in a string', '{"agentName":"a\nb"}'],
  ['a byte order mark', `\ufeff${JSON.stringify(agent)}`],
  ['the key __proto__', '{"agentName":"a","externalTenantId":"t","__proto__":{"live":true}}'],
  ['the key constructor deep inside', '{"agentName":{"a":[{"constructor":1}]}}'],
  ['an escaped __proto__', '{"\\u005f_proto__":1}'],
  ['a number beyond what a double holds', '{"agentName":1e400}'],
  ['a whole number beyond 2^53 - 1', '{"agentName":9007199254740993}'],
  ['a number that a double makes 0', '{"agentName":1e-400}'],
  ['such a number without an exponent', `{"agentName":-0.${'0'.repeat(400)}1}`],
  ['a lone surrogate', '{"agentName":"a\\ud800","externalTenantId":"t"}'],
  ['a lone surrogate in a key', '{"\\udc00":1}'],
  ['the same key twice', '{"agentName":"a","agentName":"b","externalTenantId":"t"}'],
  ['the same key twice, escaped', '{"live":true,"\\u006cive" : false}'],
  ['the same key twice, deep inside', '{"agentName":[{"a":1,"b":{"c":1,"c":1}}]}'],
  ['the character U+0000', '{"agentName":"a\\u0000b","externalTenantId":"t"}'],
])('a body with %s gets 400 malformed_json', async (_what, text) => {
  expectProblem(await post('/agents', Buffer.from(text)), 400, 'malformed_json');
});

test.each([
  ['{"data":{"list":[1,"a\\ud800"]}}', '#/data/list/1 unicode'],
  ['{"data":{"a/b":"\\u0000"}}', '#/data/a~1b nul'],
  ['{"data":{"n":9007199254740993}}', '#/data/n number'],
  ['{"data":{"deep":{"constructor":1}}}', '#/data/deep key'],
])('the error in %s is reported with its pointer: %s', async (text, fault) => {
  const answer = await post('/changes', Buffer.from(text));
  expectProblem(answer, 400, 'malformed_json');
  expect(faultsOf(answer as never)).toEqual([fault]);
});

test('neither text that looks like keys nor the same key in two objects is a duplicate key', async () => {
  const data = { uid: 'u', externalTenantId: 't', text: '{"a":1,"a":2}', 'a\\"': { uid: ':' } };
  const text = JSON.stringify({ event: 'agent.updated', data: { ...data, list: [{ uid: 1 }] } });
  expect((await post('/changes', Buffer.from(text))).status).toBe(202);
});

test('zeros are accepted however they are written, and so are the smallest doubles', async () => {
  const numbers = '[0,-0,0.00,0e5,-0.0E-9,5e-324,1e-300]';
  const data = `{"uid":"u","externalTenantId":"t","text":"1e-400","1e-400":1,"list":${numbers}}`;
  const text = `{"event":"agent.updated","data":${data}}`;
  expect((await post('/changes', Buffer.from(text))).status).toBe(202);
});

test('a surrogate pair and a key that only resembles a forbidden one are accepted', async () => {
  const text =
    '{"event":"agent.updated","data":{"uid":"\\ud83d\\ude00","externalTenantId":"t","__proto":1}}';
  expect((await post('/changes', Buffer.from(text))).status).toBe(202);
});

test.each([
  ['a stray continuation byte', Buffer.from([0x80])],
  ['an overlong form', Buffer.from([0xc0, 0xaf])],
  ['an encoded surrogate', Buffer.from([0xed, 0xa0, 0x80])],
  ['Latin-1', Buffer.from('é', 'latin1')],
])('a body that is not UTF-8 (%s) gets 400 malformed_json', async (_what, bytes) => {
  const body = Buffer.concat([Buffer.from('{"agentName":"'), bytes, Buffer.from('"}')]);
  expectProblem(await post('/agents', body), 400, 'malformed_json');
});

test.each([
  [32, 202],
  [33, 400],
])('a body nested %d deep gets %d', async (depth, status) => {
  // The body and its `data` are two levels; the arrays are the rest.
  const nested = '['.repeat(depth - 2) + ']'.repeat(depth - 2);
  const text = `{"event":"agent.updated","data":{"uid":"u","externalTenantId":"t","deep":${nested}}}`;
  const answer = await post('/changes', Buffer.from(text));
  expect(answer.status).toBe(status);
  if (status === 400) expectProblem(answer, 400, 'malformed_json');
});

test('a body nested as deep as its size allows gets 400', async () => {
  const body = Buffer.from('['.repeat(100_000) + ']'.repeat(100_000));
  expectProblem(await post('/changes', body), 400, 'malformed_json');
  expect((await service.raw('GET', '/healthz')).status).toBe(200);
});

test.each([
  [10_000, 202],
  [10_001, 400],
])('an array of %d items gets %d', async (count, status) => {
  const data = { uid: 'u', externalTenantId: 't', list: Array<number>(count).fill(1) };
  const answer = await post(
    '/changes',
    Buffer.from(JSON.stringify({ event: 'agent.updated', data })),
  );
  expect(answer.status).toBe(status);
  if (status === 400) expectProblem(answer, 400, 'malformed_json');
});

test.each([
  ['text/plain'],
  ['application/x-www-form-urlencoded'],
  ['application/json; charset=iso-8859-1'],
  ['application/json; charset=utf-16'],
  ['application/json; boundary=x'],
  ['application/json; charset="utf-8'],
  ['application/json charset=utf-8'],
  ['application/jsonp'],
  ['application/merge-patch+json'],
  ['application/json, application/json'],
  [''],
])('the content type %j gets 415', async (type) => {
  const answer = await post('/agents', Buffer.from(JSON.stringify(agent)), {
    'content-type': type,
  });
  expectProblem(answer, 415, 'unsupported_media_type');
});

test('a body without a content type gets 415', async () => {
  const answer = await post('/agents', Buffer.from(JSON.stringify(agent)), {});
  expectProblem(answer, 415, 'unsupported_media_type');
});

test.each([
  'application/json',
  'Application/JSON',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json;',
  'application/json ; ;charset=utf-8; ',
])('the content type %j is accepted', async (type) => {
  const answer = await post('/agents', Buffer.from(JSON.stringify(agent)), {
    'content-type': type,
  });
  expect(answer.status).toBe(201);
});

test('a compressed body gets 415, and the encoding identity is accepted', async () => {
  const plain = Buffer.from(JSON.stringify(agent));
  const type = { 'content-type': 'application/json' };
  for (const encoding of ['gzip', 'br', 'identity, gzip']) {
    const answer = await post('/agents', gzipSync(plain), {
      ...type,
      'content-encoding': encoding,
    });
    expectProblem(answer, 415, 'unsupported_media_type');
  }
  expect((await post('/agents', plain, { ...type, 'content-encoding': 'identity' })).status).toBe(
    201,
  );
});

const long = (characters: number): string => 'x'.repeat(characters);

test.each<[string, string, unknown, string[]]>([
  ['POST', '/agents', {}, ['#/agentName required', '#/externalTenantId required']],
  ['POST', '/agents', [], ['# type']],
  ['POST', '/agents', null, ['# type']],
  ['POST', '/agents', '"text"', ['# type']],
  ['POST', '/agents', { ...agent, extra: 1 }, ['#/extra additionalProperties']],
  ['POST', '/agents', { ...agent, 'a/b~c': 1 }, ['#/a~1b~0c additionalProperties']],
  ['POST', '/agents', { ...agent, uid: 'agt_mine' }, ['#/uid additionalProperties']],
  ['POST', '/agents', { ...agent, agentName: 7 }, ['#/agentName type']],
  ['POST', '/agents', { ...agent, agentName: '' }, ['#/agentName minLength']],
  ['POST', '/agents', { ...agent, agentName: long(201) }, ['#/agentName maxLength']],
  ['POST', '/agents', { ...agent, live: 'true' }, ['#/live type']],
  ['POST', '/agents', { ...agent, live: null }, ['#/live type']],
  ['POST', '/agents', { ...agent, externalTenantId: long(201) }, ['#/externalTenantId maxLength']],
  ['POST', '/agents', { ...agent, description: long(4_001) }, ['#/description maxLength']],
  ['POST', '/agents', { ...agent, accountUids: ['a', 7] }, ['#/accountUids/1 type']],
  ['POST', '/agents', { ...agent, accountUids: ['a', 'a'] }, ['#/accountUids uniqueItems']],
  ['PATCH', '/agents/agt_x', { agentName: null }, ['#/agentName type']],
  [
    'POST',
    '/contexts',
    { contextName: { $gt: '' } },
    ['#/externalTenantId required', '#/contextName type'],
  ],
  [
    'POST',
    '/contexts/ctx_x/files',
    { fileName: 'f', contentType: 'pdf', sizeBytes: 1 },
    ['#/contentType format'],
  ],
  [
    'POST',
    '/contexts/ctx_x/files',
    { fileName: 'f', contentType: 'a/b', sizeBytes: -1 },
    ['#/sizeBytes minimum'],
  ],
  [
    'POST',
    '/contexts/ctx_x/files',
    { fileName: 'f', contentType: 'a/b', sizeBytes: 1.5 },
    ['#/sizeBytes type'],
  ],
  [
    'PATCH',
    '/contexts/ctx_x/files/cfl_x',
    { processingStatus: 'done' },
    ['#/processingStatus enum'],
  ],
  ['POST', '/webhooks', { url: 'https://example.com' }, ['#/entities required']],
  [
    'POST',
    '/webhooks',
    { url: 'https://example.com', entities: ['agent', 'user'] },
    ['#/entities/1 enum'],
  ],
  ['POST', '/sdkusers/auth', { externalId: long(257) }, ['#/externalId maxLength']],
  ['POST', '/sdkusers/auth', { externalId: 'a', name: long(201) }, ['#/name maxLength']],
  [
    'POST',
    '/sdkusers/auth',
    { externalId: 'a', accountUids: Array<string>(101).fill('a') },
    ['#/accountUids maxItems'],
  ],
  [
    'POST',
    '/changes',
    { event: 'agent.created', data: {} },
    ['#/data/uid required', '#/data/externalTenantId required'],
  ],
])('%s %s rejects %j with the pointers of its errors', async (...[method, path, body, faults]) => {
  const answer = await service.call(method, path, { body });
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer).toSorted()).toEqual(faults.toSorted());
});

test('values of the maximum length, counted in characters and not in bytes, are accepted', async () => {
  const body = {
    agentName: '😀'.repeat(200),
    externalTenantId: long(200),
    description: long(4_000),
  };
  const answer = await service.call('POST', '/agents', { body });
  expect({ status: answer.status, ...answer.body }).toMatchObject({ status: 201, ...body });
});

test('at most twenty errors are listed, and the detail says how many more there are', async () => {
  const extra = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, 1]));
  const answer = await service.call('POST', '/agents', { body: { ...agent, ...extra } });
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toHaveLength(20);
});
