import { AppError } from '../../lib/platform/errors.ts';
import { limits } from '../../lib/limits.ts';
import type { UserDocument } from '../../lib/model/user.ts';
import { lineField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';
import { listOf, named, objectOf, text, textOrNull, time } from '../http/schemas.ts';

export interface ChangeUserBody {
  name?: string | null;
}

export const changeUserBody = validator<ChangeUserBody>({
  properties: {
    name: { ...lineField(limits.nameCharactersMax), type: ['string', 'null'] },
  },
});

/** Returns a user as shown to clients. The email is the generated one that is unique to the application. */
export function presentUser(user: UserDocument) {
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

export function noSuchUser(): AppError {
  return new AppError('not_found', 'there is no such user');
}

export const userSchema = named(
  'User',
  objectOf<ReturnType<typeof presentUser>>({
    uid: text,
    externalId: textOrNull,
    email: {
      ...textOrNull,
      description: 'A generated address that is unique in the application. It cannot receive mail.',
    },
    name: textOrNull,
    accountUids: listOf(text),
    createdAt: time,
    updatedAt: time,
  }),
);
