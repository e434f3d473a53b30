// Builders of schemas, for bodies, responses and events.
import type { SchemaObject } from 'ajv';

type NameOf<Data> = Extract<keyof Data, string>;

/** Returns the schema of an object. All fields but those in `optional` are required. */
export function objectOf<Data>(
  properties: Record<NameOf<Data>, SchemaObject>,
  optional: readonly NameOf<Data>[] = [],
): SchemaObject {
  const names = Object.keys(properties) as NameOf<Data>[];
  return {
    type: 'object',
    properties,
    required: names.filter((name) => !optional.includes(name)),
  };
}

/** Adds descriptions to fields, for the contract. */
export function described<Name extends string>(
  fields: Readonly<Record<Name, SchemaObject>>,
  texts: Readonly<Partial<Record<NoInfer<Name>, string>>>,
): Record<Name, SchemaObject> {
  const entries = Object.entries<SchemaObject>(fields).map(([name, schema]) => {
    const description = texts[name as Name];
    return [name, description === undefined ? schema : { ...schema, description }];
  });
  return Object.fromEntries(entries) as Record<Name, SchemaObject>;
}

/** Gives a schema its name in the contract and in the types of clients. */
export function named(title: string, schema: SchemaObject): SchemaObject {
  return { title, ...schema };
}

export function listOf(items: SchemaObject): SchemaObject {
  return { type: 'array', items };
}

export function orNull(schema: SchemaObject): SchemaObject {
  const { type, enum: choices, ...rest } = schema as { type?: unknown; enum?: unknown[] };
  if (typeof type !== 'string' || 'title' in schema) return { anyOf: [schema, { type: 'null' }] };
  const withNull = choices === undefined ? {} : { enum: [...choices, null] };
  return { ...rest, type: [type, 'null'], ...withNull };
}

export function oneOfTexts(choices: readonly string[]): SchemaObject {
  return { type: 'string', enum: [...choices] };
}

export const text = { type: 'string' } as const;
export const textOrNull = { type: ['string', 'null'] } as const;
export const time = { type: 'string', format: 'date-time' } as const;
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const;
export const boolean = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const countFromOne = { type: 'integer', minimum: 1 } as const;
