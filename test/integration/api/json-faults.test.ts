// What a caller is told of a body that is no JSON, or is not there.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';
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
  ['', 'the body is empty'],
  ['{"agentName":"x",}', 'the body is not valid JSON'],
])('the body %j is refused with what is wrong: %s', async (body, detail) => {
  const headers = { 'x-api-key': service.app.apiKey, 'content-type': 'application/json' };
  const answer = await service.call('POST', '/agents', { body, headers });
  expectProblem(answer, 400, 'malformed_json');
  expect(answer.body['detail']).toBe(detail);
});

test('a call without a body is one with an empty object, and says what it lacks', async () => {
  const answer = await service.call('POST', '/agents');
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toContain('#/agentName required');
  const { body } = await service.call('POST', '/webhooks', {
    body: { url: 'http://127.0.0.1:9/', entities: ['agent'] },
  });
  const rotated = await service.call('POST', `/webhooks/${String(body['uid'])}/secret/rotate`);
  expect(rotated.status).toBe(200);
});
