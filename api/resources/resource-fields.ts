// The schema parts that the resources share.
import { limits } from '../../lib/limits.ts';
import { lineField, uidField } from '../http/text-fields.ts';

export const nameField = lineField(limits.nameCharactersMax);

/** A text that null takes away again. */
export const descriptionField = {
  type: ['string', 'null'],
  maxLength: limits.descriptionCharactersMax,
  format: 'text',
};
export const accountUidsField = {
  type: ['array', 'null'],
  maxItems: limits.accountUidsMax,
  uniqueItems: true,
  items: uidField,
};

/** Leaves out the fields that have no value, so that a payload holds only what is there. */
export function withoutNulls<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
