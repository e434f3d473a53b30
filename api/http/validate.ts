import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, SchemaObject } from 'ajv';
import {
  AppError,
  type ErrorCode,
  type FaultCode,
  type FieldError,
} from '../../lib/platform/errors.ts';
import { nameAt, pointerTo, stepsOf } from './json-pointer.ts';
import { textFormats } from './text-fields.ts';

/** Returns the checked body. Throws `invalid_request`. */
export interface Validator<Body> {
  (body: unknown): Body;
  readonly schema: SchemaObject;
}

const errorsShownMax = 20;
const errorsNamedMax = 2;
const leading: ReadonlySet<string> = new Set(['propertyNames', 'if']);

const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  ownProperties: true,
  unicodeRegExp: true,
  // Handlers check the values of the last three.
  formats: { ...textFormats, 'date-time': true, email: true, uri: true },
});

// Describes more in the contract than is checked here. Handlers check it, with their own messages.
ajv.addVocabulary(['published']);

/**
 * Compiles the schema of an object, by default without additional fields. The caller keeps `Body` in step. `choice`:
 * two fields of which a body has exactly one.
 */
export function validator<Body>(
  fields: SchemaObject,
  choice?: readonly [string, string],
): Validator<Body> {
  const oneOf = choice?.map((field) => ({ required: [field] }));
  const published = oneOf === undefined ? {} : { published: { oneOf } };
  const object = { type: 'object', additionalProperties: false };
  const schema: SchemaObject = { ...object, ...fields, ...published };
  const validate = ajv.compile<Body>(schema);
  const check = (body: unknown): Body => {
    const chosen = choice === undefined ? [] : faultOfChoice(body, choice);
    if (validate(body) && chosen.length === 0) return body;
    // For a wrong key or an "if", the errors that follow from it are more useful.
    const errors = (validate.errors ?? []).filter(({ keyword }) => !leading.has(keyword));
    // A body can have thousands of errors. Only the first ones are listed, and the rest are counted.
    const shown = [...errors.slice(0, errorsShownMax).map(toFieldError), ...chosen];
    throw invalidRequest(shown, 'invalid_request', errors.length + chosen.length);
  };
  return Object.assign(check, { schema });
}

export const noFields = validator<Record<string, never>>({ properties: {} });

/** Returns the error for a body or query. The first two of its `count` faults become the message. */
export function invalidRequest(
  errors: readonly FieldError[],
  code: ErrorCode = 'invalid_request',
  count: number = errors.length,
): AppError {
  const named = errors.slice(0, errorsNamedMax).map(({ detail }) => detail);
  const more = count > named.length ? ` (and ${count - named.length} more)` : '';
  return new AppError(code, `${named.join('; ') || 'the body is not valid'}${more}`, {
    errors: errors.slice(0, errorsShownMax),
  });
}

/** Runs all checks and returns their results. Throws one error with the faults of all, and the code of the first. */
export function checkAll<Result>(checks: readonly (() => Result)[]): Result[] {
  const refusals: AppError[] = [];
  const results = checks.flatMap((check): Result[] => {
    try {
      return [check()];
    } catch (error) {
      if (!(error instanceof AppError) || error.errors === undefined) throw error;
      refusals.push(error);
      return [];
    }
  });
  const [first] = refusals;
  if (first === undefined) return results;
  const errors = refusals.flatMap((refusal) => refusal.errors ?? []);
  throw invalidRequest(errors, first.code);
}

function faultOfChoice(body: unknown, choice: readonly [string, string]): FieldError[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const given = choice.filter((field) => Object.hasOwn(body, field)).length;
  if (given === 1) return [];
  const got = given === 0 ? 'neither' : 'both';
  const detail = `exactly one of ${choice.join(' and ')} must be given (got ${got})`;
  return [{ pointer: '#', code: 'exactlyOne', detail }];
}

function toFieldError(error: ErrorObject): FieldError {
  const params = error.params as Record<string, unknown>;
  const property = params['missingProperty'] ?? params['additionalProperty'] ?? error.propertyName;
  const own = typeof property === 'string' ? [property] : [];
  const pointer = pointerTo([...stepsOf(error.instancePath), ...own]);
  const name = pointer === '#' ? 'the body' : nameAt(pointer);
  const code = error.keyword as FaultCode;
  return { pointer, code, detail: `${name} ${describe(error, params)}` };
}

function describe(error: ErrorObject, params: Record<string, unknown>): string {
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a field of this request';
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
    case 'format':
      return textFormats[params['format'] as keyof typeof textFormats].fault;
    case 'type':
      return `must be ${[params['type'] as string | string[]].flat().map(typeName).join(' or ')}`;
    case 'uniqueItems':
      return `must not contain an item twice: items ${rank(params['j'])} and ${rank(params['i'])} are the same`;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return `must have at least ${count(params['limit'], error.keyword)}`;
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${count(params['limit'], error.keyword)}`;
    case 'minimum':
      return `must be at least ${String(params['limit'])}`;
    case 'maximum':
      return `must be at most ${String(params['limit'])}`;
    default:
      return error.message ?? 'is not valid';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

function typeName(type: string): string {
  return typeNames[type] ?? type;
}

// Counts from 1, as people do. JSON pointers count from 0.
function rank(index: unknown): number {
  return Number(index) + 1;
}

function count(limit: unknown, keyword: string): string {
  const plural = keyword.endsWith('Length')
    ? 'characters'
    : keyword.endsWith('Items')
      ? 'items'
      : 'fields';
  return `${String(limit)} ${limit === 1 ? plural.slice(0, -1) : plural}`;
}
