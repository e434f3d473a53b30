// docs/documents.md lists each index of each collection, and no others.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { neededIndexes } from '../../../lib/mongo/indexes.ts';

const page = readFileSync('docs/documents.md', 'utf8');

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
