// The documents that the service serves to assistants: each link of the index, and each link inside, leads somewhere.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servedDocuments, withServedLinks } from '../../../api/documents/served-documents.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(() => service?.[Symbol.asyncDispose]());

const get = (path: string) => service.raw('GET', path, { headers: {} });

const targetsIn = (markdown: string): string[] =>
  [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);

test('every link of /llms.txt leads to a document, and each served document is in it', async () => {
  const index = await get('/llms.txt');
  expect(index.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const targets = targetsIn(index.text);
  const names = Object.keys(servedDocuments).map((name) => `docs/${name}`);
  expect(targets).toEqual([...names, 'openapi.json']);
  for (const target of targets)
    expect([target, (await get(`/${target}`)).status]).toEqual([target, 200]);
});

test.each(Object.keys(servedDocuments))(
  'the links inside of %s lead to what is served',
  async (name) => {
    const { text, headers } = await get(`/docs/${name}`);
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text.split('\n')[0]).toBe((await readFile(`docs/${name}`, 'utf8')).split('\n')[0]);
    for (const target of targetsIn(text)) {
      const [file = ''] = target.split('#');
      const isOutside = file === '' || /^https?:/.test(file);
      const status = isOutside ? 200 : (await get(`/docs/${file}`)).status;
      expect([target, status]).toEqual([target, 200]);
    }
  },
);

test.each([
  'deployment.md',
  'nothing.md',
  'constructor',
  '%2e%2e%2fpackage.json',
  '..%2F..%2F.env',
])('the document %s is not served', async (name) => {
  expectProblem(await get(`/docs/${name}`), 404, 'not_found');
});

test.each([
  ['[a](api.md)', '[a](api.md)'],
  ['[a](api.md#keys)', '[a](api.md#keys)'],
  ['[a](#here)', '[a](#here)'],
  ['[a](https://example.com/x.md)', '[a](https://example.com/x.md)'],
  ['[a](deployment.md)', 'a'],
  ['see [ADR 7](adr/0007-x.md), [b](../packages/cli/README.md)', 'see ADR 7, b'],
])('the link %s becomes %s', (written, served) => {
  expect(withServedLinks(written)).toBe(served);
});
