// The parameters of a query: which there may be, each at most once, and the values they hold.
import { invalidRequest } from './validate.ts';

/** Gives the value of a parameter's text. Throws `invalid_request` that points to `name`. */
export type Parameter<Value> = (name: string, text: string) => Value;

/** The filters that a list takes, by the names of their parameters. */
export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>;

/** What the filters of a table ask for; null is anything. */
export type Filters<Table extends ParameterTable> = {
  [Name in keyof Table]: ReturnType<Table[Name]> | null;
};

/** Checks that a query has parameters of these names only, each at most once. Throws `invalid_request`. */
export function checkParameters(query: URLSearchParams, names: readonly string[]): void {
  const errors = [...new Set(query.keys())].flatMap((name) => {
    if (!names.includes(name)) {
      const taken = names.length === 0 ? 'none' : names.join(', ');
      const detail = `${name} is not a parameter of this call, which takes ${taken}`;
      return [{ pointer: name, code: 'unknown', detail }];
    }
    if (query.getAll(name).length === 1) return [];
    return [{ pointer: name, code: 'repeated', detail: `${name} must be given once` }];
  });
  if (errors.length > 0) throw invalidRequest(errors);
}

/** Reads the filters of a table. Throws `invalid_request`. */
export function readFilters<Table extends ParameterTable>(
  table: Table,
  query: URLSearchParams,
): Filters<Table> {
  const values = Object.entries(table).map(([name, read]) => {
    const text = query.get(name);
    return [name, text === null ? null : read(name, text)];
  });
  return Object.fromEntries(values) as Filters<Table>;
}

/** Takes one of a few words. */
export function oneOf<Choice extends string>(choices: readonly Choice[]): Parameter<Choice> {
  return (name, text) => {
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    throw refuse(name, 'enum', `${name} must be one of ${choices.join(', ')}`);
  };
}

/** Takes a text of 1 to `charactersMax` characters. */
export function textUpTo(charactersMax: number): Parameter<string> {
  return (name, text) => {
    // As JSON Schema counts, in Unicode code points.
    if (text !== '' && Array.from(text).length <= charactersMax) return text;
    throw refuse(name, 'length', `${name} must have 1 to ${charactersMax} characters`);
  };
}

const timeShape = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

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

function refuse(pointer: string, code: string, detail: string): Error {
  return invalidRequest([{ pointer, code, detail }]);
}
