import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, SchemaObject } from 'ajv';
import { AppError, type FaultCode, type FieldError } from '../../lib/platform/errors.ts';
import { nameAt, pointerTo, stepsOf } from './json-pointer.ts';
import { textFormats } from './text-fields.ts';

/** Returns the checked body. Throws `invalid_request`. */
export interface Validator<Body> {
  (body: unknown): Body;
  readonly schema: SchemaObject;
}

const errorsShownMax = 20;
const leading: ReadonlySet<string> = new Set(['propertyNames', 'if']);

const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  ownProperties: true,
  unicodeRegExp: true,
  // Of the last ones the handlers check the values.
  formats: { ...textFormats, 'date-time': true, email: true, uri: true },
});

// Says more in the contract than is checked here: handlers check it, with words of their own.
ajv.addVocabulary(['published']);

/** Compiles an object's schema, by default without other fields; the caller keeps `Body` in step. */
export function validator<Body>(fields: SchemaObject): Validator<Body> {
  const schema: SchemaObject = { type: 'object', additionalProperties: false, ...fields };
  const validate = ajv.compile<Body>(schema);
  const check = (body: unknown): Body => {
    if (validate(body)) return body;
    // Of a bad key and of an "if" the faults that follow from it tell more.
    const errors = (validate.errors ?? []).filter(({ keyword }) => !leading.has(keyword));
    // Of the others, of which a body can have thousands, only the number is told.
    const shown = errors.slice(0, errorsShownMax).map(toFieldError);
    throw invalidRequest(shown, 'invalid_request', errors.length);
  };
  return Object.assign(check, { schema });
}

export const noFields = validator<Record<string, never>>({ properties: {} });

/** Returns the error of a body or query with these of its `count` faults, of which the first is its text. */
export function invalidRequest(
  errors: readonly FieldError[],
  code: 'invalid_request' | 'unknown_webhook_uids' = 'invalid_request',
  count: number = errors.length,
): AppError {
  const [first] = errors;
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return new AppError(code, `${first?.detail ?? 'the body is not valid'}${more}`, {
    errors: errors.slice(0, errorsShownMax),
  });
}

/** Returns the error of a body that must give one of two fields, and gives neither or both. */
export function notExactlyOne(
  fields: readonly [string, string],
  given: 'neither' | 'both',
): AppError {
  const detail = `exactly one of ${fields.join(' and ')} must be given (got ${given})`;
  return invalidRequest([{ pointer: '#', code: 'exactlyOne', detail }]);
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
      return `must not contain an item twice: items ${place(params['j'])} and ${place(params['i'])} are the same`;
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

// Counted from 1, as people do; JSON pointers count from 0.
function place(index: unknown): number {
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
