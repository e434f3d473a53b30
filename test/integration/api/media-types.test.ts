// The type of a context file must be a media type by RFC 9110.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, faultsOf } from './problems.ts';
import { makeContext } from './resource-calls.ts';

let service: TestService;
let path: string;

beforeAll(async () => {
  service = await startService({ worker: false });
  path = `/contexts/${await makeContext(service)}/files`;
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function createFile(contentType: string): Promise<Answer> {
  return service.call('POST', path, { body: { fileName: 'f', contentType, sizeBytes: 1 } });
}

test.each([
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'image/svg+xml',
  'Text/HTML;Charset="utf-8"',
  'text/plain; charset=utf-8',
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
  '/plain',
  'text/plain/more',
  'text /plain',
  ' text/plain',
  'text/plain;',
  'text/plain; charset',
  'text/plain; charset=',
  'text/plain; charset="utf-8',
  'text/plain; charset=utf 8',
  'text/plain, text/html',
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

test('a contentType of more than 127 characters is refused', async () => {
  const answer = await createFile(`a/${'b'.repeat(126)}`);
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual(['#/contentType maxLength']);
});
