// The schema parts that the resources share.
import { limits } from '../../lib/config.ts';

export const nameField = { type: 'string', minLength: 1, maxLength: limits.nameCharactersMax };
export const tenantField = { type: 'string', minLength: 1, maxLength: limits.nameCharactersMax };

/** A text that null takes away again. */
export const descriptionField = {
  type: ['string', 'null'],
  maxLength: limits.descriptionCharactersMax,
};
export const accountUidsField = {
  type: ['array', 'null'],
  maxItems: limits.accountUidsMax,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: 64 },
};

/** Leaves out the fields that have no value, so that a payload holds only what is there. */
export function withoutNulls<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
