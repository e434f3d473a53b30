// Links between documents lead to existing files and headings.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

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
  const text = withoutCode(readFileSync(document, 'utf8'));
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : join(dirname(document), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).has(anchor);
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
