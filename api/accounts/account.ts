import { AppError } from '../../lib/platform/errors.ts';
import { limits } from '../../lib/limits.ts';
import type { AccountDocument } from '../../lib/model/account.ts';
import { lineField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';
import { named, objectOf, text, time } from '../http/schemas.ts';

export interface CreateAccountBody {
  name: string;
}

export type ChangeAccountBody = Partial<CreateAccountBody>;

const properties = { name: lineField(limits.nameCharactersMax) };

export const createAccountBody = validator<CreateAccountBody>({
  required: ['name'],
  properties,
});

export const changeAccountBody = validator<ChangeAccountBody>({
  properties,
});

export function presentAccount(account: AccountDocument) {
  return {
    uid: account._id,
    name: account.name,
    createdAt: account.createdAt.toISOString(),
    updatedAt: account.updatedAt.toISOString(),
  };
}

export function noSuchAccount(): AppError {
  return new AppError('not_found', 'there is no such account');
}

export const accountSchema = named(
  'Account',
  objectOf<ReturnType<typeof presentAccount>>({
    uid: text,
    name: text,
    createdAt: time,
    updatedAt: time,
  }),
);
