// A caller can report a resource with any uid, also with one that another application stores. So each query of stored
// resources names the application.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = ['lib', 'api', 'worker', 'activities', 'cli']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path))),
  )
  .filter((path) => path.endsWith('.ts'))
  .filter((path) =>
    /\b(agents|contexts|contextFiles|resource-kind)\b/.test(readFileSync(path, 'utf8')),
  );

const methods = 'find\\w*|update\\w*|delete\\w*|replaceOne|countDocuments|distinct';
const receivers = 'agents|contexts|contextFiles|collection|collection\\(context\\.store\\)';
const query = new RegExp(`\\b(?:${receivers})\\s*\\.(?:${methods})\\(\\s*(\\{[^;]*?\\}|\\w+)`, 'g');

/** Checks whether a filter has `appUid`: as written out, or in each declaration of its variable. */
function namesApp(filter: string, source: string): boolean {
  if (filter.startsWith('{')) return /\bappUid\b/.test(filter);
  const declared = [
    ...source.matchAll(new RegExp(`\\b${filter}(?:: | = )(\\{[^}]*\\}|\\w+<)`, 'g')),
  ];
  return declared.length > 0 && declared.every(([text]) => /\bappUid\b|ResourceFilter</.test(text));
}

/** Returns the filters of a file's queries. */
function filtersIn(path: string): { filter: string; isOwn: boolean }[] {
  const source = readFileSync(path, 'utf8');
  return [...source.matchAll(query)].map(([, filter = '']) => ({
    filter,
    isOwn: namesApp(filter, source),
  }));
}

test('the search for queries of stored resources finds those that are known', () => {
  const found = sources.filter((path) => filtersIn(path).length > 0);
  expect(found).toContain('lib/jobs/stored-resources.ts');
  expect(found).toContain('api/resources/resource-kind.ts');
});

test.each(sources)('%s queries stored resources only of one application', (path) => {
  expect(filtersIn(path).filter(({ isOwn }) => !isOwn)).toEqual([]);
});
