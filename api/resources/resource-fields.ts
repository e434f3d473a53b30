import { limits } from '../../lib/limits.ts';
import { lineField, tenantField, uidField } from '../http/text-fields.ts';

export const nameField = lineField(limits.nameCharactersMax);

export const fixedTenantField = { ...tenantField, description: 'It cannot be changed.' };

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
