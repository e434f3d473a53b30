// The `filter` of a webhook: selects events by the fields of their `data`.
import type { FieldError } from '../../lib/platform/errors.ts';
import { countCharacters } from '../../lib/platform/count-characters.ts';
import { limits } from '../../lib/limits.ts';
import type { FilterCondition, FilterValue } from '../../lib/model/webhook.ts';
import { nameAt, pointerTo } from '../http/json-pointer.ts';
import { controlCharacters, textFormats } from '../http/text-fields.ts';
import { invalidRequest } from '../http/validate.ts';

/** By the path of a field, such as `agent.status`: its value, or the allowed values. */
export type WrittenFilter = Record<string, FilterValue | FilterValue[]>;

const { filterPathsMax, filterPathDepthMax, filterTextCharactersMax, filterValuesMax } = limits;

const fieldName = `[^.$${controlCharacters}][^.${controlCharacters}]*`;
const filterValue = {
  type: ['string', 'number', 'boolean', 'null'],
  maxLength: filterTextCharactersMax,
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

/** `acceptFilter` checks paths and values, with its own messages. */
export const filterField = {
  type: ['object', 'null'],
  minProperties: 1,
  maxProperties: filterPathsMax,
  published: {
    propertyNames: {
      maxLength: filterTextCharactersMax,
      pattern: `^${fieldName}(?:\\.${fieldName}){0,${filterPathDepthMax - 1}}$`,
    },
    additionalProperties: {
      anyOf: [filterValue, { type: 'array', minItems: 1, items: filterValue }],
    },
  },
};

/** Returns the filter in stored form, because MongoDB allows no dots in field names. Throws `invalid_request`. */
export function acceptFilter(filter: WrittenFilter | null): FilterCondition[] | null {
  if (filter === null) return null;
  const conditions = Object.entries(filter).map(([path, is]) => ({ path, is }));
  const errors = conditions.flatMap(({ path, is }): FieldError[] => {
    const fault = faultOfPath(path) ?? faultOfValues(is) ?? faultOfIdentifiers(path, is);
    if (fault === null) return [];
    const pointer = pointerTo(['filter', path]);
    return [{ pointer, code: 'filter', detail: `${nameAt(pointer)} ${fault}` }];
  });
  const count = conditions.reduce((sum, { is }) => sum + (Array.isArray(is) ? is.length : 1), 0);
  if (count > filterValuesMax) {
    const detail = `filter must have at most ${filterValuesMax} values (got ${count})`;
    errors.push({ pointer: '#/filter', code: 'filter', detail });
  }
  if (errors.length > 0) throw invalidRequest(errors);
  // Sorted, so that equal filters are stored identically.
  return conditions.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export function presentFilter(filter: readonly FilterCondition[] | null): WrittenFilter | null {
  return filter && Object.fromEntries(filter.map(({ path, is }) => [path, is]));
}

function faultOfPath(path: string): string | null {
  const names = path.split('.');
  if (names.includes('')) return 'must be field names separated by dots';
  // `$gt` and the like look like operators, which do not exist here.
  if (names.some((name) => name.startsWith('$')))
    return 'must not contain a name that begins with "$"';
  if (names.length > filterPathDepthMax) return `must have at most ${filterPathDepthMax} names`;
  return faultOfText(path) ?? (textFormats.line.validate(path) ? null : textFormats.line.fault);
}

function faultOfValues(is: unknown): string | null {
  if (!Array.isArray(is)) return faultOfValue(is);
  if (is.length === 0) return 'must have at least one value';
  return is.map(faultOfValue).find((fault) => fault !== null) ?? null;
}

function faultOfValue(value: unknown): string | null {
  if (typeof value === 'string') return faultOfText(value);
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return null;
  return 'must be a string, number, boolean or null, or an array of these';
}

const identifierPaths: ReadonlySet<string> = new Set(['uid', 'externalTenantId']);

/** Events have no other identifiers, so the filter would silently match nothing. */
function faultOfIdentifiers(path: string, is: unknown): string | null {
  const { validate, fault } = textFormats.identifier;
  const isFaulty = (value: unknown): boolean => typeof value === 'string' && !validate(value);
  return identifierPaths.has(path) && [is].flat().some(isFaulty) ? fault : null;
}

function faultOfText(text: string): string | null {
  const isLong = countCharacters(text) > filterTextCharactersMax;
  return isLong ? `must have at most ${filterTextCharactersMax} characters` : null;
}
