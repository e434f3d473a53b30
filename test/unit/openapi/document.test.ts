import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openapiOf } from '../../../api/openapi/document.ts';
import { noFields } from '../../../api/http/validate.ts';
import { routes } from '../../../api/routes.ts';

const file = new URL('../../../docs/openapi.json', import.meta.url);

test('every route is a call with an id of its own', () => {
  const document = openapiOf(routes) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(ids).toHaveLength(routes.length);
  expect(new Set(ids).size).toBe(routes.length);
});

test('two validators of OpenAPI find no fault', async () => {
  const contract = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  expect(await new Validator().validate(contract)).toMatchObject({ valid: true });
  // It would reject with the faults.
  const redocly = 'node_modules/@redocly/cli/bin/cli.js';
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  await promisify(execFile)(process.execPath, [redocly, 'lint', 'docs/openapi.json'], { env });
});

test('every body of the contract has an example, which its call takes', () => {
  for (const { body, handler } of routes) {
    if (body === null || body === noFields) continue;
    expect(handler.operation).toMatchObject({ example: expect.anything() });
    expect(body(handler.operation.example)).toBe(handler.operation.example);
  }
});

const verbsInS: ReadonlySet<string> = new Set(['Access', 'Address', 'Process']);

// Calls of the admin area share their handlers, and so their summaries, with those of API keys.
const operations = [...new Set(routes.map(({ handler }) => handler.operation))];
const summaries = operations.map(({ summary }) => summary);

test('every summary of a call is an imperative', () => {
  const others = summaries.filter((summary) => {
    const [verb = ''] = summary.split(/,? /);
    return !/^[A-Z][a-z]+$/.test(verb) || (verb.endsWith('s') && !verbsInS.has(verb));
  });
  expect(others).toEqual([]);
});
