import { formatDuration } from '../../parts/format-time.ts';
import type { Names } from './audit-rows.ts';

export interface Change {
  field: string;
  /** Null if the row does not have it. */
  before: string | null;
  after: string;
}

function textOf(value: unknown, { field, names }: { field: string; names: Names }): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && field.endsWith('Seconds')) return formatDuration(1_000 * value);
  if (typeof value === 'string') return names.get(value) ?? value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.map((each) => textOf(each, { field, names })).join(', ') || 'none';
}

/** Returns a field in words: `newKeyUid` is "new key", because its name is shown. */
function wordsOf(field: string): string {
  if (field === 'isOfTenant') return 'only one tenant';
  return field
    .replace(/(?:Seconds|Uid(s?))$/, '$1')
    .replaceAll(/([a-z])([A-Z0-9])/g, (_, end: string, begin: string) => {
      return `${end} ${begin.toLowerCase()}`;
    });
}

const previousOf = (field: string): string =>
  `previous${field.charAt(0).toUpperCase()}${field.slice(1)}`;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the changes that an audit row describes. The previous `name` is in `previousName`, or in the `name` of
 * `previous`.
 */
export function changesOf(row: Record<string, unknown>, names: Names = new Map()): Change[] {
  const { previous, ...plain } = row;
  const details: Record<string, unknown> = isObject(previous) ? plain : row;
  const former = isObject(previous) ? previous : {};
  const fields = Object.keys(details);
  const paired = new Set(fields.map(previousOf).filter((field) => field in details));
  return fields
    .filter((field) => !paired.has(field))
    .map((field) => {
      const earlier = field in former ? former[field] : details[previousOf(field)];
      return {
        field: wordsOf(field),
        before: earlier === undefined ? null : textOf(earlier, { field, names }),
        after: textOf(details[field], { field, names }),
      };
    });
}
