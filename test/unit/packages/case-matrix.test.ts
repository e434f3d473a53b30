import { expect, test } from 'vitest';
import {
  type Column,
  caseMatrix,
  differences,
  type ReceiverCase,
} from '../../../dev/packages/case-matrix.ts';

const refused = { ok: false, code: 'missing_header' };
const accepted = { ok: true, attempt: 1 };
const cases: ReceiverCase[] = [
  { name: 'good', scheme: 'standard', expect: accepted },
  { name: 'without id', scheme: 'standard', expect: refused },
  { name: 'without time', scheme: 'standard', expect: refused },
];
const right = { good: accepted, 'without id': refused, 'without time': refused };

test('a package agrees on a group of cases when it judges each as the file says', () => {
  const columns: Column[] = [
    { name: 'one', verdicts: right },
    { name: 'other', verdicts: { ...right, 'without id': { ok: false, code: 'invalid_body' } } },
    { name: 'third', verdicts: 'skipped' },
  ];
  expect(caseMatrix(cases, columns)).toEqual([
    'cases                     count  one    other     third',
    'standard: accepted        1      agree  agree     skipped',
    'standard: missing_header  2      agree  1 differ  skipped',
  ]);
});

test('a case differs when a field differs, is missing or was not judged', () => {
  expect(differences(cases, right)).toEqual([]);
  expect(differences(cases, { ...right, good: { ok: true, attempt: 2 } })).toEqual(['good']);
  expect(differences(cases, { ...right, good: { ok: true } })).toEqual(['good']);
  expect(differences(cases, { good: accepted })).toEqual(['without id', 'without time']);
});

test('a package that was not run differs in nothing', () => {
  expect(differences(cases, 'skipped')).toEqual([]);
});
