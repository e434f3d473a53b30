// Derives bad bodies from a good one and its schema, with one error each.
import type { SchemaObject } from 'ajv';
import type { Route } from '../../../api/route.ts';
import { nameOf } from './furnished-app.ts';

// Pairs of fields that a body must not have together.
const rivals: Readonly<Record<string, string>> = {
  userEmail: 'externalId',
  mentions: 'externalTenantId',
};

export interface BadBody {
  what: string;
  /** The JSON pointer of the fault; the answer may point inside it. */
  pointer: string;
  /** The JSON to send. */
  text: string;
}

type Steps = readonly (string | number)[];

interface Field {
  steps: Steps;
  schema: SchemaObject;
}

// Texts that may contain any character: a password, a token, an origin, data of a payload.
const anyText: ReadonlySet<string> = new Set([
  '#/password',
  '#/currentPassword',
  '#/newPassword',
  '#/authToken',
  '#/origin',
  '#/mentions/0',
]);

/** Returns every bad body of a route: wrong types, lengths, characters and values of each field. */
export function badBodiesOf(route: Route, good: object): BadBody[] {
  const schema = route.body?.schema;
  if (schema === undefined) throw new Error(`${nameOf(route)} has no schema`);
  const fields = fieldsOf(schema, []);
  return [
    ...fields.flatMap((field) => badValues(field).map((bad) => place(good, field, bad))),
    ...missing(schema, good),
    ...wholeBodies,
    ...['$where', '$gt', 'a/b~c'].map((key) => ({
      what: `the unknown field ${key}`,
      pointer: `#/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      text: JSON.stringify({ ...good, [key]: 1 }),
    })),
  ];
}

/** Returns texts that are not acceptable JSON, derived from a good body. */
export function textThatFails(good: object): [what: string, text: string][] {
  const inside = JSON.stringify(good).slice(1);
  const rest = inside === '}' ? inside : `,${inside}`;
  return [
    ['a key twice', `{"x":1,"x":1${rest}`],
    ['a key twice, once escaped', `{"x":1,"\\u0078" : 2${rest}`],
    ['a key twice, deep inside', `{"x":[{"y":1,"y":2}]${rest}`],
    ['__proto__', `{"__proto__":{"a":1}${rest}`],
    ['a byte order mark', `\ufeff{${inside}`],
    ['two bodies', `{${inside}{${inside}`],
    ['half a body', `{${inside.slice(0, -1)}`],
  ];
}

const wholeBodies: readonly BadBody[] = [[], [{}], 'text', 1, true, null].map((body) => ({
  what: `the body ${JSON.stringify(body)}`,
  pointer: '#',
  text: JSON.stringify(body),
}));

function fieldsOf(schema: SchemaObject, steps: Steps): Field[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, SchemaObject>);
  const inside = properties.flatMap(([name, each]) => {
    const own = [...steps, name];
    const items = each['items'] as SchemaObject | undefined;
    const item = items === undefined ? [] : [{ steps: [...own, 0], schema: items }];
    return [{ steps: own, schema: each }, ...item, ...fieldsOf(each, own)];
  });
  return inside;
}

function missing(schema: SchemaObject, good: object): BadBody[] {
  const { required } = (schema['else'] ?? schema) as { required?: string[] };
  return (required ?? []).map((name) => ({
    what: `no ${name}`,
    pointer: `#/${name}`,
    text: JSON.stringify({ ...good, [name]: undefined }),
  }));
}

const ofEachType: readonly [type: string, value: unknown][] = [
  ['object', { $gt: '' }],
  ['object', { $where: 'sleep(1000)' }],
  ['object', {}],
  ['array', ['a', ['b']]],
  ['array', [{ $ne: null }]],
  ['string', 'text'],
  ['string', '1'],
  ['integer', 1],
  ['number', 1.5],
  ['number', -0.5],
  ['boolean', true],
  ['null', null],
];

function badValues({ steps, schema }: Field): unknown[] {
  const types = [schema['type']].flat() as string[];
  const wrongTypes = ofEachType.filter(([type]) => !types.includes(type)).map(([, value]) => value);
  return [
    ...wrongTypes,
    ...(types.includes('string') ? badTexts(pointerOf(steps), schema) : []),
    ...(types.includes('integer') ? badNumbers(schema) : []),
    ...(types.includes('array') ? badArrays(schema) : []),
    ...(types.includes('object') ? [{ $gt: '' }, {}] : []),
  ];
}

function badTexts(pointer: string, schema: SchemaObject): string[] {
  const { minLength = 0, maxLength = Infinity } = schema as {
    minLength?: number;
    maxLength?: number;
  };
  return [
    'lone \ud800 surrogate',
    '\udc00',
    'the character \u0000',
    ...(anyText.has(pointer) ? [] : ['bell \u0007', 'escape \u001b[2J', 'C1 \u0085']),
    ...(minLength > 0 ? [''] : []),
    ...(maxLength === Infinity ? [] : ['x'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1)]),
    ...(schema['enum'] === undefined ? [] : ['', 'none of them', '$ne', ' agent']),
    ...(schema['format'] === 'line' ? ['two\nlines', 'two\u2028lines', 'a\ttab'] : []),
  ];
}

function badNumbers(schema: SchemaObject): number[] {
  const { minimum, maximum } = schema as { minimum: number; maximum: number };
  const isWide = maximum === Number.MAX_SAFE_INTEGER;
  return [minimum - 1, ...(isWide ? [] : [maximum + 1]), 2 ** 53, 1e308];
}

function badArrays(schema: SchemaObject): unknown[] {
  const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number };
  const many = Math.min(maxItems + 1, 10_001);
  return [
    ...(minItems > 0 ? [[]] : []),
    Array.from({ length: many }, (_, index) => `item-${index}`),
    ...(schema['uniqueItems'] === true ? [['a', 'a']] : []),
  ];
}

function pointerOf(steps: Steps): string {
  return ['#', ...steps].join('/');
}

function place(good: object, { steps }: Field, value: unknown): BadBody {
  const rival = rivals[String(steps[0])];
  const base = rival === undefined ? good : { ...good, [rival]: undefined };
  const text = JSON.stringify(withValue(base, steps, value));
  const pointer = pointerOf(steps);
  return { what: `${pointer} as ${JSON.stringify(value).slice(0, 60)}`, pointer, text };
}

/** Returns a copy with a value at a path. Missing steps of the path are created. */
function withValue(into: unknown, [step, ...rest]: Steps, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') return [withValue(undefined, rest, value)];
  const object = (into ?? {}) as Record<string, unknown>;
  return { ...object, [step]: withValue(object[step], rest, value) };
}
