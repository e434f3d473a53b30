import { expect, test } from 'vitest';
import { durationWords } from '../src/parts/duration-words.ts';

test.each([
  ['90d', '90 days'],
  ['1h', '1 hour'],
  ['15m', '15 minutes'],
  ['30s', '30 seconds'],
  ['500ms', '500 milliseconds'],
  ['forever', 'forever'],
])('%s reads %s', (text, expected) => {
  expect(durationWords(text)).toBe(expected);
});
