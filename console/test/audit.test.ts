import type { AuditRow } from '@agent-herald/client';
import { expect, test } from 'vitest';
import { changesOf } from '../src/pages/audit/audit-changes.ts';
import { actorOf, csvCellsOf, csvHeader, takeUpTo } from '../src/pages/audit/audit-rows.ts';

test('the old value of a change is next to the new one', () => {
  expect(changesOf({ name: 'New', previousName: 'Old', overlapSeconds: 60 })).toEqual([
    { field: 'name', before: 'Old', after: 'New' },
    { field: 'overlap seconds', before: null, after: '60' },
  ]);
});

test('the fields of a previous object are the old values', () => {
  const previous = { name: null, active: true };
  expect(
    changesOf({ name: 'Shop', active: false, urlOrigin: 'https://a.example', previous }),
  ).toEqual([
    { field: 'name', before: 'none', after: 'Shop' },
    { field: 'active', before: 'true', after: 'false' },
    { field: 'url origin', before: null, after: 'https://a.example' },
  ]);
});

test('an old value without a new one is shown as it is', () => {
  expect(changesOf({ previousRole: 'viewer' })).toEqual([
    { field: 'previous role', before: null, after: 'viewer' },
  ]);
});

test.each([
  [null, 'none'],
  [[], 'none'],
  [['a', 'b'], 'a, b'],
  [false, 'false'],
  [{ a: 1 }, '{"a":1}'],
])('the value %j reads %s', (value, text) => {
  expect(changesOf({ field: value })).toEqual([{ field: 'field', before: null, after: text }]);
});

const names = new Map([['adm_1', 'ada@example.com']]);

test.each([
  [{ kind: 'admin', uid: 'adm_1' }, 'ada@example.com'],
  [{ kind: 'admin', uid: 'adm_2' }, 'adm_2'],
  [{ kind: 'anonymous', uid: null }, 'unknown'],
  [{ kind: 'system', uid: null }, 'the service or its command line'],
] as const)('the actor %o is called %s', (actor, name) => {
  expect(actorOf(actor, names)).toBe(name);
});

test('a row has a cell for each column of the export', () => {
  const row: AuditRow = {
    uid: 'aud_1',
    at: '2026-11-23T12:00:00.000Z',
    action: 'app.renamed',
    actor: { kind: 'admin', uid: 'adm_1' },
    target: { kind: 'app', uid: 'app_1' },
    details: { name: 'New' },
    address: null,
    requestId: 'req_1',
  };
  const cells = csvCellsOf(row, names);
  expect(cells).toHaveLength(csvHeader.length);
  expect(cells.slice(3)).toEqual([
    'ada@example.com',
    'app.renamed',
    'app',
    'app_1',
    '{"name":"New"}',
    '',
    'req_1',
  ]);
});

async function* count(to: number): AsyncGenerator<number> {
  for (let n = 1; n <= to; n += 1) yield n;
}

test('an export has at most its maximum number of rows, and reports whether there are more', async () => {
  expect(await takeUpTo(count(2), 3)).toEqual({ rows: [1, 2], isCut: false });
  expect(await takeUpTo(count(3), 3)).toEqual({ rows: [1, 2, 3], isCut: false });
  expect(await takeUpTo(count(4), 3)).toEqual({ rows: [1, 2, 3], isCut: true });
});
