// Texts for people avoid phrases that readers stumbled over. Each phrase is followed by a replacement.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Phrases = readonly (readonly [phrase: RegExp, instead: string])[];

/** For the console, the command lines, the summaries of API calls, and the documents. */
const everywhere: Phrases = [
  [/how that goes/i, 'its health'],
  [/\bneeds? you\b/, 'needs attention'],
  [/so many a second/, 'maximum per second'],
  [/as the service does/i, 'default'],
  [/nobody who is known/, 'unknown'],
  [/nothing of your own/, 'none'],
  [/who signs with what/i, 'which secret signs which header'],
  [/this did not work/i, 'something went wrong'],
  [/go to the beginning/i, 'go to the home page'],
  [/erasures until now/i, 'past erasures'],
  [/(is|are) (no|not an?) JSON of/, 'is not valid JSON'],
  [/is no JSON\b/, 'is not valid JSON'],
  [/is like that\b/, 'matches'],
  [/in turn is at/, 'now at'],
  [/written anew/, 're-serialised'],
  [/shows what there is/, 'for usage'],
  [/since this page is open/, 'since you opened this page'],
  [/reasons beside the/, 'the fields marked above'],
  [/what was done to it/i, 'history'],
  [/as they came\b/, 'as received'],
  [/\bis away\b/, 'is unavailable'],
  [/\bbeside\b/, 'next to'],
  [/\bunder way\b/, 'in flight, running, in progress'],
  [/\bat once\b/, 'immediately, or concurrently'],
  [/\bany more\b/, 'no longer'],
  [/e-mail/i, 'email'],
  [/taken up/, 'queued'],
  [/\bthis once\b/, 'only once'],
  [/change to receipt/i, 'end-to-end latency'],
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
  const text = readFileSync(path, 'utf8');
  const isCode = /\.tsx?$/.test(path);
  const shown = isCode ? text.replaceAll(/\/\*[^]*?\*\/|(^|\s)\/\/.*$/gm, '') : text;
  return shown.replaceAll(/\s+/g, ' ');
}

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path))
    .map((path) => join(folder, path));
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
  text: summariesIn(JSON.parse(readFileSync(openapi, 'utf8'))).join(' | '),
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
