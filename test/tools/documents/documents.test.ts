// The documents: what they list is what there is, links lead to existing files and headings, and texts for people avoid
// phrases that readers stumbled over.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { routes } from '../../../api/routes.ts';
import { readQuickStart } from '../../../dev/quickstart/read-quickstart.ts';
import { neededIndexes } from '../../../lib/mongo/indexes.ts';
import { faultCodes } from '../../../lib/platform/errors.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path))
    .map((path) => join(folder, path));
}

// A mechanism that needs more says in the page what it is worth.
const linesMax = 3_800;

const [toReason = ''] =
  /## To reason about a lost delivery[^]*?(?=\n## )/.exec(read('docs/ARCHITECTURE.md')) ?? [];

/** Returns the paths in a cell. A name without a folder is in the folder before it. */
function pathsIn(cell: string): string[] {
  let folder = '';
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => {
    if (name.endsWith('/')) folder = name;
    const path = name.includes('/') ? name : folder + name;
    return path.endsWith('/') ? [] : [`${path}.ts`];
  });
}

const toRead = toReason
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .flatMap((line) => pathsIn(line.split('|')[2] ?? ''));

test('the page counts the files to read, each once', () => {
  expect(toReason).toContain(`Read these ${toRead.length} files`);
  expect(new Set(toRead).size).toBe(toRead.length);
});

test('the files to read have few lines', () => {
  const lines = toRead.map((file) => read(file).split('\n').length - 1);
  expect(lines.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(linesMax);
});

test('each folder of lib uses exactly those that the linter and the page name, which come before it', async () => {
  const linter = '../../../oxlint.config.mjs';
  const { libRooms } = (await import(linter)) as { libRooms: Record<string, string[]> };
  const names = Object.keys(libRooms);
  const [, listed = ''] = /by noun: ([^|]*) \|/.exec(read('docs/ARCHITECTURE.md')) ?? [];
  expect(listed.match(/[\w-]+/g)).toEqual(names.filter((name) => name !== 'model'));
  for (const [index, name] of names.entries()) {
    const sources = filesIn(`lib/${name}`, /\.ts$/).map(read).join('\n');
    const used = new Set(
      [...sources.matchAll(/from '(?:\.\.\/)+([\w-]+)\//g)].map(([, room]) => room),
    );
    const others = names.slice(0, index).filter((room) => used.has(room));
    expect([name, others.toSorted()]).toEqual([name, libRooms[name]]);
  }
});

test('the tests that the security page names exist', () => {
  const names = read('docs/security.md').match(/[\w/-]+\.test\.ts/g) ?? [];
  const files = ['test', 'console/test'].flatMap((folder) => filesIn(folder, /\.test\.ts$/));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual(
    [],
  );
});

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
  .flatMap((folder) => filesIn(folder, /\.ts$/))
  .map(read)
  .join('\n');

function documentedCodes(): string[] {
  const [, section = ''] = read('docs/api.md').split('\n## Errors\n');
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

const page = read('docs/documents.md');

/** Returns the keys in a text, such as `{appUid, _id: -1}`, with and without each field in brackets. */
function keysIn(text: string): string[] {
  const found = [...text.matchAll(/`(\{[^`]*\})`/g)].map(([, key = '']) =>
    key.replaceAll(/\s+/g, ' '),
  );
  return found.flatMap(variantsOf);
}

function variantsOf(key: string): string[] {
  const optional = /\[([\w.]+)\](, )?/;
  if (!optional.test(key)) return [key];
  return [key.replace(optional, '$1$2'), key.replace(optional, '')].flatMap(variantsOf);
}

const [, searches = ''] = /### Searches([^]*?)\n## /.exec(page) ?? [];
const [ofDeliveries = '', ofEvents = ''] = searches.split('Events have four');
const searched = new Map([
  ['deliveries', keysIn(ofDeliveries)],
  ['events', keysIn(ofEvents)],
]);

function documentedKeys(collection: string): string[] {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${collection}\``)) ?? '';
  return [...keysIn(row.split('|').at(-2) ?? ''), ...(searched.get(collection) ?? [])].toSorted();
}

const written = (key: object): string => {
  const fields = Object.entries(key).map(([name, order]) =>
    order === 1 ? name : `${name}: ${order}`,
  );
  return `{${fields.join(', ')}}`;
};

test.each([...new Set(neededIndexes.map(([collection]) => collection))])(
  'the page of documents lists the indexes of %s as they are',
  (collection) => {
    const needed = neededIndexes.filter(([name]) => name === collection);
    const keys = needed.map(([, , key]) => written(key as object)).toSorted();
    expect(documentedKeys(collection)).toEqual(keys);
  },
);

const documents = [
  ...markdownIn('.'),
  ...markdownIn('docs', 'adr', 'reference'),
  ...['packages', 'examples'].flatMap((folder) => markdownIn(folder, ...foldersIn(folder))),
];

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Returns the documents in a folder and in the named folders inside it. */
function markdownIn(folder: string, ...inner: string[]): string[] {
  return ['', ...inner].flatMap((name) => {
    const from = join(folder, name);
    return readdirSync(from)
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(from, file));
  });
}

const withoutCode = (markdown: string): string => markdown.replaceAll(/^```.*?^```$/gms, '');

/** Returns the anchors as GitHub generates them. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(markdown).matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let name = slug;
    for (let n = 1; anchors.has(name); n += 1) name = `${slug}-${n}`;
    anchors.add(name);
  }
  return anchors;
}

function deadLinks(document: string): string[] {
  const text = withoutCode(read(document));
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : join(dirname(document), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(read(target)).has(anchor);
  });
}

test.each(documents)('%s has no dead links', (document) => {
  expect(deadLinks(document)).toEqual([]);
});

test('a dead link is found', () => {
  expect(anchorsOf('# A `B`, c\n\n# A B c\n')).toEqual(new Set(['a-b-c', 'a-b-c-1']));
  expect(deadLinks('test/tools/documents/dead-links.md')).toEqual([
    'no-such.md',
    '#no-such-heading',
  ]);
});

const { start, sections } = readQuickStart(read('docs/quickstart.md'));

test.each(sections)(
  'the quick start for $language shows its example as it is, and has five commands',
  (section) => {
    const { path, code } = section.example;
    expect(code).toBe(read(path));
    expect([start, ...section.application, section.change]).toHaveLength(5);
  },
);

test('the page for testers shows its test as it is', () => {
  expect(read('docs/testing.md')).toContain(`\n${read('test/e2e/three-days.test.ts')}`);
});

type Phrases = readonly (readonly [phrase: RegExp, instead: string])[];

/** For the console, the command lines, the summaries of API calls, and the documents. */
const everywhere: Phrases = [
  [/\bneeds? you\b/, 'needs attention'],
  [/so many a second/, 'maximum per second'],
  [/(is|are) (no|not an?) JSON of/, 'is not valid JSON'],
  [/is no JSON\b/, 'is not valid JSON'],
  [/\bis away\b/, 'is unavailable'],
  [/\bbeside\b/, 'next to'],
  [/\bunder way\b/, 'in flight, running, in progress'],
  [/\bat once\b/, 'immediately, or concurrently'],
  [/\bany more\b/, 'no longer'],
  [/e-mail/i, 'email'],
  [/taken up/, 'queued'],
  [/\bthis once\b/, 'only once'],
  [/\bsealed\b/i, 'encrypted'],
  [/the service paused/i, 'the service deactivated'],
];

/** For the console and the command lines. A phrase moves up once the other texts avoid it, too. */
const inPrograms: Phrases = [
  [/is no (superuser|admin|member)\b/, 'is not a'],
  [/\b(of|over) \d+ hours\b/, 'last 24 hours'],
  [/(receiver|it) answer(s|ed)\b/i, 'responded with'],
  [/\b(the|last|no) answer\b/i, 'response'],
  [/\bwhat (is|was) (held|lost|sent)\b/i, 'held deliveries, lost deliveries'],
  [/\bfault\(s\)/, 'checks failed'],
  [/\bby hand\b/, 'paused'],
];

/** Returns the text without comments, in one line, because sentences span several lines. */
function wordsOf(path: string): string {
  const text = read(path);
  const isCode = /\.tsx?$/.test(path);
  const shown = isCode ? text.replaceAll(/\/\*[^]*?\*\/|(^|\s)\/\/.*$/gm, '') : text;
  return shown.replaceAll(/\s+/g, ' ');
}

function summariesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'summary' && typeof inner === 'string' ? [inner] : summariesIn(inner),
  );
}

const programs = [
  ...['console/src', 'packages/cli/src', 'cli'].flatMap((folder) => filesIn(folder, /\.tsx?$/)),
  ...filesIn('dev/start', /\.ts$/),
].map((path) => ({ path, text: wordsOf(path) }));
const pages = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ path: `docs/${name}`, text: wordsOf(`docs/${name}`) }));
const openapi = 'docs/openapi.json';
const calls = {
  path: openapi,
  text: summariesIn(JSON.parse(read(openapi))).join(' | '),
};

test.each<[string, readonly { path: string; text: string }[], Phrases]>([
  ['the programs', programs, [...everywhere, ...inPrograms]],
  ['the documents', pages, everywhere],
  ['the summaries of API calls', [calls], everywhere],
])('%s say it plainly', (_, texts, phrases) => {
  const found = texts.flatMap(({ path, text }) =>
    phrases.flatMap(([phrase, instead]) => {
      const [said] = phrase.exec(text) ?? [];
      return said === undefined ? [] : [`${path}: "${said}"; instead: ${instead}`];
    }),
  );
  expect(found).toEqual([]);
});
