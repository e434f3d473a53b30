// What a client reads when a body does not match: a sentence for each keyword, in plain words.
import { expect, test } from 'vitest';
import { type invalidRequest, validator } from '../../../api/http/validate.ts';
import type { FieldError } from '../../../lib/platform/errors.ts';

const validate = validator<Record<string, unknown>>({
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 3 },
    note: { type: ['string', 'null'] },
    count: { type: 'integer', minimum: 2, maximum: 4 },
    live: { type: 'boolean' },
    uids: {
      type: 'array',
      items: { enum: ['a', 'b', 'c'] },
      uniqueItems: true,
      maxItems: 3,
      minItems: 1,
    },
    labels: { type: 'object', maxProperties: 1 },
    texts: { type: 'object', additionalProperties: { type: 'string' } },
  },
});

function errorsOf(body: Record<string, unknown>): FieldError[] {
  try {
    validate(body);
  } catch (error) {
    const { errors = [] } = error as ReturnType<typeof invalidRequest>;
    return errors;
  }
  return [];
}

const faultsOf = (body: Record<string, unknown>): string[] =>
  errorsOf(body).map(({ detail }) => detail);

test.each<[Record<string, unknown>, string]>([
  [{}, 'name is required'],
  [{ name: 'a', nmae: 'a' }, 'nmae is not a field of this request'],
  [{ name: 'a', 'a/b~c.d~1': 1 }, 'a/b~c.d~1 is not a field of this request'],
  [{ name: 1 }, 'name must be a string'],
  [{ name: '' }, 'name must have at least 1 character'],
  [{ name: 'abcd' }, 'name must have at most 3 characters'],
  [{ name: 'a', note: 1 }, 'note must be a string or null'],
  [{ name: 'a', count: 1 }, 'count must be at least 2'],
  [{ name: 'a', count: 5 }, 'count must be at most 4'],
  [{ name: 'a', count: 2.5 }, 'count must be a whole number'],
  [{ name: 'a', live: 'yes' }, 'live must be true or false'],
  [{ name: 'a', uids: {} }, 'uids must be an array'],
  [{ name: 'a', uids: [] }, 'uids must have at least 1 item'],
  [{ name: 'a', uids: ['d'] }, 'uids.0 must be one of a, b, c'],
  [
    { name: 'a', uids: ['b', 'c', 'b'] },
    'uids must not contain an item twice: items 1 and 3 are the same',
  ],
  [{ name: 'a', labels: { b: 1, c: 2 } }, 'labels must have at most 1 field'],
])('%j: %s', (body, sentence) => {
  expect(faultsOf(body)).toEqual([sentence]);
});

test.each([
  ['of slashes', '/'.repeat(250_000), '/'.repeat(200)],
  ['that the cut would split in a character', `k${'😀'.repeat(100)}`, `k${'😀'.repeat(99)}�`],
])('a long key %s is cut in pointer and sentence', (_what, key, shown) => {
  const step = `${shown.replaceAll('/', '~1')}…`;
  expect([
    ...errorsOf({ name: 'a', [key]: 1 }),
    ...errorsOf({ name: 'a', texts: { [key]: 1 } }),
  ]).toMatchObject([
    { pointer: `#/${step}`, detail: `${shown}… is not a field of this request` },
    { pointer: `#/texts/${step}`, detail: `texts.${shown}… must be a string` },
  ]);
});

test.each([
  [20, 20],
  [21, 20],
])('of a body with %i faults %i are listed, and all are counted', (count, listed) => {
  const body = {
    name: 'a',
    texts: Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, n])),
  };
  expect(errorsOf(body)).toHaveLength(listed);
  expect(() => validate(body)).toThrow(`(and ${count - 1} more)`);
});
