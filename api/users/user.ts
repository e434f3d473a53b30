// Users as the API shows and changes them.
import { AppError } from '../../lib/platform/errors.ts';
import { limits } from '../../lib/limits.ts';
import type { UserDocument } from '../../lib/model/user.ts';
import { lineField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';

export interface ChangeUserBody {
  name?: string | null;
}

/** The identity is not among the fields: another one is another user. */
export const changeUserBody = validator<ChangeUserBody>({
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { ...lineField(limits.nameCharactersMax), type: ['string', 'null'] },
  },
});

/** A user as clients see it; the e-mail is the one made unique to the application. */
export interface UserView {
  uid: string;
  externalId: string | null;
  email: string | null;
  name: string | null;
  accountUids: string[];
  createdAt: string;
  updatedAt: string;
}

export function presentUser(user: UserDocument): UserView {
  return {
    uid: user._id,
    externalId: user.externalId ?? null,
    email: user.email ?? null,
    name: user.name,
    accountUids: user.accountUids,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

/** The error of a user that is not there, is deleted, or is another application's. */
export function noSuchUser(): AppError {
  return new AppError('not_found', 'there is no such user');
}
