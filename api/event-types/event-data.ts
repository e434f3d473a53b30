import type { SchemaObject } from 'ajv';

export interface EventData {
  schema: SchemaObject;
  /** Returns a sample for an application. Its uids belong to nothing. */
  sampleOf: (appUid: string) => { uid: string; [field: string]: unknown };
}

export const sampleTime = '2026-01-01T12:00:00.000Z';

/** Returns a uid that no document has. */
export function sampleUid(prefix: string): string {
  return `${prefix}_01sample000000000000000000`;
}
