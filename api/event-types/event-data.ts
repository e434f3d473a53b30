import type { SchemaObject } from 'ajv';

/** Data as JSON has it: times as texts. */
export type Written<Data> = Data extends Date
  ? string
  : Data extends readonly unknown[]
    ? Data
    : Data extends object
      ? { [Field in keyof Data]: Written<Data[Field]> }
      : Data;

/** What `data` of an event looks like. */
export interface EventData {
  schema: SchemaObject;
  /** Of an application; the uids are nobody's. */
  sampleOf: (appUid: string) => { uid: string; [field: string]: unknown };
}

type NameOf<Data> = Extract<keyof Data, string>;

/** Returns the schema of an object; each field has one, all but those in `optional` are always there. */
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

export const text = { type: 'string' } as const;
export const textOrNull = { type: ['string', 'null'] } as const;
export const time = { type: 'string', format: 'date-time' } as const;
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const;
export const countFromOne = { type: 'integer', minimum: 1 } as const;

/** The time of all samples. */
export const sampleTime = '2026-01-01T12:00:00.000Z';

/** Returns a uid that no thing has. */
export function sampleUid(prefix: string): string {
  return `${prefix}_01sample000000000000000000`;
}
