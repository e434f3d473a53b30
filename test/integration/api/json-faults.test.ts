// The errors for a body that is missing or not JSON.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, faultsOf } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test.each([
  ['{"agentName":"a","agentName":"b"}', 'an object has the same key twice: "agentName"'],
  ['{"a":{"b":1},"c":[{"b":1,"\\u0062":2}]}', 'an object has the same key twice: "b"'],
  [' ', 'the body is empty'],
  ['{"agentName":"x",}', 'the body is not valid JSON'],
])('the body %j is rejected with the detail: %s', async (body, detail) => {
  const headers = { 'x-api-key': service.app.apiKey, 'content-type': 'application/json' };
  const answer = await service.call('POST', '/agents', { body, headers });
  expectProblem(answer, 400, 'malformed_json');
  expect(answer.body['detail']).toBe(detail);
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
