// docs/api.md, "Errors", lists the codes of field errors: those of lib/platform/errors.ts that the source can produce.
// produce.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { routes } from '../../../api/routes.ts';
import { faultCodes } from '../../../lib/platform/errors.ts';

type Schema = Readonly<Record<string, unknown>>;

// They report the errors of their content, or none.
const silent = ['properties', 'items', 'propertyNames', 'then', 'else'];
const passed = ['$schema', 'title', 'description', 'default', 'published', 'if'];

/** Returns the keywords by which a validator rejects a body. */
function keywordsOf(schema: Schema): string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (passed.includes(keyword)) return [];
    const own = silent.includes(keyword) ? [] : [keyword];
    if (keyword === 'properties')
      return Object.values(value as Schema).flatMap((each) => keywordsOf(each as Schema));
    const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [...own, ...(isSchema ? keywordsOf(value as Schema) : [])];
  });
}

const keywords = new Set(
  routes.flatMap(({ body }) => (body === null ? [] : keywordsOf(body.schema))),
);

const source = ['api', 'lib']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(name, 'utf8'))
  .join('\n');

function documentedCodes(): string[] {
  const [, section = ''] = readFileSync('docs/api.md', 'utf8').split('\n## Errors\n');
  const [, listed = ''] = /keywords of JSON Schema \(([^:]*):/.exec(section) ?? [];
  const tables = section.split('| code | where |\n').slice(1);
  const cells = tables.flatMap((table) =>
    (table.split('\n\n')[0] ?? '').split('\n').map((row) => row.split('|')[1] ?? ''),
  );
  return [listed, ...cells].flatMap((text) =>
    [...text.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
  );
}

test('docs/api.md lists each code of a field error, and no other', () => {
  expect([...new Set(documentedCodes())].sort()).toEqual([...faultCodes].sort());
});

test('the keywords by which bodies are rejected are codes of field errors', () => {
  expect([...keywords].filter((each) => !faultCodes.some((code) => code === each))).toEqual([]);
});

test('the source produces field errors with each of the codes', () => {
  const isMade = (code: string) =>
    new RegExp(`(?:\\bcode: |\\bcode = |refuse\\(|Fault\\(|Refused = )[^;\\n]*'${code}'`).test(
      source,
    );
  expect(faultCodes.filter((code) => !keywords.has(code) && !isMade(code))).toEqual([]);
});
