// The parts of an answer that are the contract: status, problem code, some headers, and the shape of the body: its fields
// and their types, without the values.

export interface DescribedAnswer {
  status: number;
  /** The code of a problem, and its faults. */
  problem?: string;
  faults?: string[];
  /** The headers except the usual ones: the type of JSON and of problems, and `no-store`. */
  headers?: Record<string, string | string[]>;
  body?: Shape;
}

/** An unchanged answer. */
export interface PlainAnswer {
  status: number;
  headers: Headers;
  text: string;
}

const problemFields = ['type', 'title', 'status', 'detail', 'code', 'requestId'];

/** Describes an answer. Throws for a problem without the fields that every problem has. */
export function describeAnswer({ status, headers, text }: PlainAnswer): DescribedAnswer {
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const described = describeHeaders(headers);
  const shown = Object.keys(described).length === 0 ? {} : { headers: described };
  if (type === 'application/problem+json') {
    return { status, ...describeProblem(JSON.parse(text)), ...shown };
  }
  if (type === 'application/json' && text !== '') {
    return { status, ...shown, body: shapeOf(JSON.parse(text)) };
  }
  return { status, ...shown };
}

interface Problem {
  code: string;
  requestId: string;
  errors?: { pointer: string; code: string }[];
}

function describeProblem(problem: Problem): Pick<DescribedAnswer, 'problem' | 'faults'> {
  const missing = problemFields.filter((field) => !(field in problem));
  if (missing.length > 0) throw new Error(`a problem without ${missing.join(', ')}`);
  const { code, errors } = problem;
  if (errors === undefined) return { problem: code };
  return { problem: code, faults: errors.map((error) => `${error.pointer} ${error.code}`) };
}

const usual: Record<string, string[]> = {
  'cache-control': ['no-store'],
  'content-type': ['application/json', 'application/json; charset=utf-8'],
};
const usualProblem = 'application/problem+json';

/** Headers whose value is the contract, and headers that must only be present. */
const valued = ['allow', 'cache-control', 'content-type', 'link', 'location', 'www-authenticate'];
const present = ['etag', 'retry-after'];

function describeHeaders(headers: Headers): Record<string, string | string[]> {
  const described: Record<string, string | string[]> = {};
  for (const name of valued) {
    const value = headers.get(name);
    if (value === null || usual[name]?.includes(value) || value.startsWith(usualProblem)) continue;
    described[name] = mask(value);
  }
  for (const name of present) if (headers.has(name)) described[name] = 'present';
  // The limit that the answer is about.
  const limit = /^"(.+)";/.exec(headers.get('ratelimit-policy') ?? '')?.[1];
  if (limit !== undefined && headers.has('ratelimit')) described['ratelimit'] = limit;
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) described['set-cookie'] = cookies.map(maskCookie);
  return described;
}

/** Masks the changing parts of a text: uids, ports and the values of a query. */
export function mask(text: string): string {
  return text
    .replaceAll(/\b[a-z]{3}_[0-9a-z]{26}\b/g, '{uid}')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:{port}')
    .replaceAll(/([?&]\w+)=[^&]*/g, '$1=…');
}

function maskCookie(cookie: string): string {
  return cookie.replace(/^([^=]+)=[^;]+/, '$1=…').replace(/; expires=[^;]+/i, '; Expires=…');
}

/** A type, or several joined with `|`; a list with its one element; an object with its fields. */
type Shape = string | Shape[] | { [field: string]: Shape };

/** Fields with texts from a closed list, whose text is part of the contract. */
const closedLists = new Set(
  [
    ['action', 'alg', 'cancelReason', 'cancelReasons', 'code', 'crv'],
    ['deactivationWarning', 'disabledReason', 'entities'],
    ['errorClass', 'event', 'events', 'kind', 'kty', 'method', 'ordering', 'previousRole'],
    ['processingStatus', 'reason', 'role', 'scopes', 'state', 'states', 'status', 'statusClass'],
    ['trigger', 'use', 'interval'],
  ].flat(),
);

/** Times and names that are written after a call, and so may or may not be set yet. */
const writtenLater = new Set([
  'dispatchedAt',
  'lastTriggeredAt',
  'lastUsedAt',
  'reachedAt',
  'workflowId',
]);

/** Returns the shape of a JSON value. */
function shapeOf(value: unknown): Shape {
  return shapeOfAll([value], '');
}

/** Returns the one shape that all values of a field match. */
function shapeOfAll(values: readonly unknown[], field: string): Shape {
  const lists = values.filter((value) => Array.isArray(value));
  const objects = values.filter(isObject);
  const types = values.flatMap((value) =>
    Array.isArray(value) || isObject(value) ? [] : typesOf(value, field),
  );
  const items = lists.flat();
  const shapes = [
    ...(types.length > 0 ? [[...new Set(types)].toSorted().join(' | ')] : []),
    ...(lists.length > 0 ? [items.length > 0 ? [shapeOfAll(items, field)] : []] : []),
    ...(objects.length > 0 ? [fieldsOf(objects)] : []),
  ];
  const [only] = shapes;
  return shapes.length === 1 && only !== undefined ? only : { oneOf: shapes };
}

type Fields = Record<string, unknown>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the fields of the objects; one that some of them lack is marked with `?`. */
function fieldsOf(objects: readonly Fields[]): Record<string, Shape> {
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))].toSorted();
  const fields = names.map((name): [string, Shape] => {
    const having = objects.filter((object) => name in object);
    const values = having.map((object) => object[name]);
    return [having.length < objects.length ? `${name}?` : name, shapeOfAll(values, name)];
  });
  return Object.fromEntries(fields);
}

function typesOf(value: unknown, field: string): string[] {
  if (writtenLater.has(field)) return ['null', 'string'];
  if (value === null) return ['null'];
  return [typeof value === 'string' && closedLists.has(field) ? `'${value}'` : typeof value];
}
