// The shape of a body in the contract: its fields and their types, without the values.

/** A type, or several joined with `|`; a list with its one element; an object with its fields. */
export type Shape = string | Shape[] | { [field: string]: Shape };

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
export function shapeOf(value: unknown): Shape {
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
