// What the packages make of the cases of receivers, side by side.
import { isDeepStrictEqual } from 'node:util';

export interface ReceiverCase {
  readonly name: string;
  readonly scheme: string;
  readonly expect: { readonly ok: boolean; readonly code?: string };
}

/** By the name of a case; of a package that gave none, why. */
export type Verdicts = Readonly<Record<string, unknown>> | 'skipped' | 'failed';

export interface Column {
  readonly name: string;
  readonly verdicts: Verdicts;
}

/** Returns the names of the cases that a package judges otherwise than the file says. */
export function differences(cases: readonly ReceiverCase[], verdicts: Verdicts): string[] {
  if (typeof verdicts === 'string') return [];
  return cases
    .filter(({ name, expect }) => !isDeepStrictEqual(verdicts[name], expect))
    .map(({ name }) => name);
}

/** Returns the lines of a table: a row for each group of cases, a column for each package. */
export function caseMatrix(cases: readonly ReceiverCase[], columns: readonly Column[]): string[] {
  const groups = [...new Set(cases.map(groupOf))];
  const rows = groups.map((group) => {
    const members = cases.filter((one) => groupOf(one) === group);
    const cells = columns.map(({ verdicts }) => cell(members, verdicts));
    return [group, String(members.length), ...cells];
  });
  return aligned([['cases', 'count', ...columns.map(({ name }) => name)], ...rows]);
}

function groupOf({ scheme, expect }: ReceiverCase): string {
  return `${scheme}: ${expect.ok ? 'accepted' : expect.code}`;
}

function cell(cases: readonly ReceiverCase[], verdicts: Verdicts): string {
  if (typeof verdicts === 'string') return verdicts;
  const count = differences(cases, verdicts).length;
  return count === 0 ? 'agree' : `${count} differ`;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
