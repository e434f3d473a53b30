// The checks of a request's body: its type, encoding, size, JSON and schema.
import { gzipSync } from 'node:zlib';
import { limits } from '../../../lib/limits.ts';
import { makeTestAdmin } from '../../support/admin-client.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, faultsOf, type Refusal } from './problems.ts';

const service = useService({ worker: false });

/** Posts bytes, or a stream without a Content-Length, with only these headers and the key. */
async function post(
  path: string,
  body: Buffer | ReadableStream,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Refusal> {
  const response = await fetch(`${service.apiUrl}/api/v1/appuid/${service.app.appUid}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': service.app.apiKey, ...headers },
    body: body instanceof Buffer ? new Uint8Array(body) : body,
    duplex: 'half',
  });
  const parsed = JSON.parse(await response.text()) as JsonBody;
  return { status: response.status, headers: response.headers, body: parsed };
}

const agent = { agentName: 'Agent', externalTenantId: 'tenant' };

test.each([
  ['nothing but spaces', '  '],
  ['an open brace', '{'],
  ['a trailing comma', '{"agentName":"a",}'],
  ['NaN', '{"agentName":NaN}'],
  ['the key __proto__', '{"agentName":"a","externalTenantId":"t","__proto__":{"live":true}}'],
  ['the key constructor deep inside', '{"agentName":{"a":[{"constructor":1}]}}'],
  ['a number beyond what a double holds', '{"agentName":1e400}'],
  ['a whole number beyond 2^53 - 1', '{"agentName":9007199254740993}'],
  ['a number that a double makes 0', '{"agentName":1e-400}'],
  ['such a number without an exponent', `{"agentName":-0.${'0'.repeat(400)}1}`],
  ['a lone surrogate', '{"agentName":"a\\ud800","externalTenantId":"t"}'],
  ['a lone surrogate in a key', '{"\\udc00":1}'],
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

test.each([
  ['text that looks like keys twice', String.raw`"text":"{\"a\":1,\"a\":2}","a\\\"":{"uid":":"}`],
  ['the same key in two objects', '"list":[{"uid":1}]'],
  ['zeros and the smallest doubles', '"list":[0,-0,0.00,0e5,-0.0E-9,5e-324,1e-300]'],
  ['text and keys that look like such numbers', '"text":"1e-400","1e-400":1'],
  ['a surrogate pair', String.raw`"text":"\ud83d\ude00"`],
  ['a key that only resembles a forbidden one', '"__proto":1'],
])('data with %s are accepted', async (_what, fields) => {
  const text = `{"event":"agent.updated","data":{"uid":"u","externalTenantId":"t",${fields}}}`;
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
  ['application/json; charset="utf-8'],
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
  'application/json; charset="utf-8"',
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

test('values of the maximum length, counted in characters and not in bytes, are accepted', async () => {
  const body = {
    agentName: '😀'.repeat(200),
    externalTenantId: long(200),
    description: long(4_000),
  };
  const answer = await service.call('POST', '/agents', { body });
  expect({ status: answer.status, ...answer.body }).toMatchObject({ status: 201, ...body });
});

test('the faults that only the handler finds are listed together, too', async () => {
  const webhook = { url: 'ftp://a', entities: ['agent'], retrySchedule: ['x'], filter: { $a: 1 } };
  const refused = await service.call('POST', '/webhooks', { body: webhook });
  const faults = ['#/url invalid_webhook_url', '#/retrySchedule/0 duration', '#/filter/$a filter'];
  expect(faultsOf(refused)).toEqual(faults);
});

test('a body of one byte over 256 KiB gets 413, with and without a Content-Length', async () => {
  const body = Buffer.from(JSON.stringify(agent).padEnd(limits.requestBytesMax + 1));
  expectProblem(await post('/agents', body), 413, 'payload_too_large');
  const stream = new Blob([new Uint8Array(body)]).stream();
  expectProblem(await post('/agents', stream), 413, 'payload_too_large');
});

test('a body of exactly 256 KiB is read completely', async () => {
  const body = Buffer.from(JSON.stringify(agent).padEnd(limits.requestBytesMax));
  expect((await post('/agents', body)).status).toBe(201);
  const stream = new Blob([new Uint8Array(body)]).stream();
  expect((await post('/agents', stream)).status).toBe(201);
});

test('a body with credentials can be 64 KiB, and not a byte more', async () => {
  const { appUid, apiKey } = service.app;
  const key = { 'x-api-key': apiKey };
  const ada = await makeTestAdmin(service);
  const calls: [string, Record<string, string>][] = [
    [`/api/v1/appuid/${appUid}/sdkusers/auth`, key],
    [`/api/v1/appuid/${appUid}/sdkusers/token/verify`, key],
    ['/admin/api/session', {}],
    ['/admin/api/password', ada.headers],
  ];
  for (const [path, own] of calls) {
    const headers = { ...own, 'content-type': 'application/json' };
    const body = '{}'.padEnd(64 * 1024);
    const read = await service.raw('POST', path, { headers, body });
    expectProblem(read, 400, 'invalid_request');
    const refused = await service.raw('POST', path, { headers, body: `${body} ` });
    expectProblem(refused, 413, 'payload_too_large');
  }
});

test.each([undefined, 'application/json', 'text/plain'])(
  'an absent body of the type %s counts as an empty object: only required fields are reported as missing',
  async (type) => {
    const key = { 'x-api-key': service.app.apiKey };
    const headers = { ...key, ...(type === undefined ? {} : { 'content-type': type }) };
    const answer = await service.call('POST', '/agents', { headers });
    expectProblem(answer, 400, 'invalid_request');
    expect(faultsOf(answer)).toContain('#/agentName required');
    const webhook = { url: 'http://127.0.0.1:9/', entities: ['agent'] };
    const { body } = await service.call('POST', '/webhooks', { body: webhook });
    const path = `/webhooks/${String(body['uid'])}`;
    expect((await service.call('POST', `${path}/secret/rotate`, { headers })).status).toBe(200);
    expect((await service.call('PATCH', path, { headers })).status).toBe(200);
    expect((await service.call('POST', `${path}/test`, { headers })).status).toBe(202);
    expect((await service.call('DELETE', path, { headers })).status).toBe(204);
  },
);
