// The values of a list's filters in the query, each at most once.
import type { TimeRange } from '../../lib/store/paging.ts';
import { invalidRequest } from './validate.ts';

const timeShape = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads one of a few words, or null where it is absent. Throws `invalid_request`. */
export function readChoice<Choice extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly Choice[],
): Choice | null {
  const text = readOnce(query, name);
  if (text === null) return null;
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw refuse(name, 'enum', `${name} must be one of ${choices.join(', ')}`);
}

/** Reads `since` and `until`. Throws `invalid_request`. */
export function readTimeRange(query: URLSearchParams): TimeRange {
  return { since: readTimeQuery(query, 'since'), until: readTimeQuery(query, 'until') };
}

/** Reads a text of 1 to `charactersMax` characters, or null where it is absent. Throws `invalid_request`. */
export function readText(
  query: URLSearchParams,
  name: string,
  charactersMax: number,
): string | null {
  const text = readOnce(query, name);
  // As JSON Schema counts, in Unicode code points.
  if (text === null || (text !== '' && Array.from(text).length <= charactersMax)) return text;
  throw refuse(name, 'length', `${name} must have 1 to ${charactersMax} characters`);
}

/** Reads a time, or null where it is absent. Throws `invalid_request`. */
function readTimeQuery(query: URLSearchParams, name: string): Date | null {
  const text = readOnce(query, name);
  return text === null ? null : parseTime(name, text);
}

/** Parses an ISO 8601 time with its offset. Throws `invalid_request` that points to `pointer`. */
export function parseTime(pointer: string, text: string): Date {
  const at = new Date(text);
  const day = timeShape.exec(text)?.[1];
  if (day !== undefined && at.getTime() >= 0 && isDay(day)) return at;
  const name = pointer.replace('#/', '');
  throw refuse(pointer, 'time', `${name} must be a time such as 2026-11-21T12:00:00Z`);
}

/** `Date` alone would make March 2 of February 30. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}

function readOnce(query: URLSearchParams, name: string): string | null {
  const [text = null, ...more] = query.getAll(name);
  if (more.length > 0) throw refuse(name, 'repeated', `${name} must be given once`);
  return text;
}

function refuse(pointer: string, code: string, detail: string): Error {
  return invalidRequest([{ pointer, code, detail }]);
}
