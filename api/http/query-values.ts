import type { SchemaObject } from 'ajv';
import { countCharacters } from '../../lib/platform/count-characters.ts';
import type { FaultCode } from '../../lib/platform/errors.ts';
import { readTime } from '../../lib/platform/time.ts';
import { oneOfTexts, time } from './schemas.ts';
import { textFormats } from './text-fields.ts';
import { checkAll, invalidRequest } from './validate.ts';

export interface Parameter<Value> {
  /** Parses the text. Throws `invalid_request` with `name` as the pointer. */
  (name: string, text: string): Value;
  readonly schema: SchemaObject;
}

export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>;

/** The values of a table's filters. Null matches anything. */
export type Filters<Table extends ParameterTable> = {
  [Name in keyof Table]: ReturnType<Table[Name]> | null;
};

/** Throws one `invalid_request` for all unknown, repeated and invalid parameters. */
export function checkParameters(query: URLSearchParams, table: ParameterTable): void {
  checkAll(
    [...new Set(query.keys())].map((name) => () => {
      if (!Object.hasOwn(table, name)) {
        const taken = Object.keys(table).join(', ') || 'none';
        const detail = `${name} is not a parameter of this call; its parameters are: ${taken}`;
        throw refuse(name, 'unknown', detail);
      }
      const [text = '', ...more] = query.getAll(name);
      if (more.length > 0) throw refuse(name, 'repeated', `${name} must be given only once`);
      return table[name]?.(name, text);
    }),
  );
}

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

export function oneOf<Choice extends string>(choices: readonly Choice[]): Parameter<Choice> {
  const read = (name: string, text: string): Choice => {
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    throw refuse(name, 'enum', `${name} must be one of ${choices.join(', ')}`);
  };
  return Object.assign(read, { schema: oneOfTexts(choices) });
}

export function textUpTo(charactersMax: number): Parameter<string> {
  const read = (name: string, text: string): string => {
    if (text !== '' && countCharacters(text) <= charactersMax) return text;
    throw refuse(name, 'length', `${name} must have 1 to ${charactersMax} characters`);
  };
  return Object.assign(read, {
    schema: { type: 'string', minLength: 1, maxLength: charactersMax },
  });
}

/** An identifier in its stored form. Another form would silently match nothing. */
export function identifierUpTo(charactersMax: number): Parameter<string> {
  const readText = textUpTo(charactersMax);
  const { validate, fault } = textFormats.identifier;
  const read = (name: string, text: string): string => {
    if (validate(readText(name, text))) return text;
    throw refuse(name, 'format', `${name} ${fault}`);
  };
  return Object.assign(read, { schema: readText.schema });
}

/** Different texts, separated by commas. */
export function listUpTo(countMax: number, charactersMax: number): Parameter<string[]> {
  const readText = textUpTo(charactersMax);
  const read = (name: string, text: string): string[] => {
    const items = [...new Set(text.split(','))];
    if (items.length <= countMax) return items.map((item) => readText(name, item));
    throw refuse(name, 'length', `${name} must have at most ${countMax} values`);
  };
  const item = `[^,]{1,${charactersMax}}`;
  const pattern = `^${item}(?:,${item}){0,${countMax - 1}}$`;
  return Object.assign(read, { schema: { type: 'string', pattern } });
}

/** A number of items, with a default. */
export function limitUpTo(max: number, fallback: number): Parameter<number> {
  const read = (name: string, text: string): number => {
    const limit = Number(text);
    if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= max) return limit;
    throw refuse(name, 'range', `${name} must be a whole number from 1 to ${max}`);
  };
  const schema = { type: 'integer', minimum: 1, maximum: max, default: fallback };
  return Object.assign(read, { schema });
}

/** Adds a description to a parameter, for the contract. */
export function explained<Value>(read: Parameter<Value>, description: string): Parameter<Value> {
  const copy = (name: string, text: string): Value => read(name, text);
  return Object.assign(copy, { schema: { ...read.schema, description } });
}

/** Parses an ISO 8601 time with an offset. Throws `invalid_request` with this pointer. */
export const parseTime: Parameter<Date> = Object.assign(
  (pointer: string, text: string): Date => {
    const at = readTime(text);
    if (at !== null) return at;
    const name = pointer.replace('#/', '');
    const rule = `${name} must be a time such as 2026-11-21T12:00:00Z`;
    // In a query that was not encoded, `+02:00` arrives with a space.
    const hasLostPlus = / \d\d:\d\d$/.test(text);
    throw refuse(pointer, 'time', hasLostPlus ? `${rule}; write + as %2B in a query` : rule);
  },
  { schema: time },
);

function refuse(pointer: string, code: FaultCode, detail: string): Error {
  return invalidRequest([{ pointer, code, detail }]);
}
