import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openapiOf, renderOpenapi } from '../../../api/openapi/document.ts';
import { routes } from '../../../api/routes.ts';

const file = new URL('../../../docs/openapi.json', import.meta.url);

test('docs/openapi.json is what the routes make; npm run openapi writes it', async () => {
  expect(renderOpenapi(routes) === (await readFile(file, 'utf8'))).toBe(true);
});

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

test('two calls of one id are refused', () => {
  const [first] = routes;
  expect(() =>
    openapiOf([...routes, { ...first, path: '/other' } as (typeof routes)[number]]),
  ).toThrow('two calls are signUserIn');
});
