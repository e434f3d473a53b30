import { expect, test } from 'vitest';
import { routes } from '../../../api/routes.ts';

const charactersMax = 60;
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

test('every summary of a call is short, and has no full stop', () => {
  const others = summaries.filter(
    (summary) => summary.length > charactersMax || summary.endsWith('.'),
  );
  expect(others).toEqual([]);
});

test('no two calls have the same summary', () => {
  expect(new Set(summaries).size).toBe(summaries.length);
});
