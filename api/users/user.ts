import type { ClientSession } from 'mongodb';
import { AppError } from '../../lib/platform/errors.ts';
import { limits } from '../../lib/limits.ts';
import type { UserDocument } from '../../lib/model/user.ts';
import { within } from '../../lib/mongo/transaction.ts';
import type { ApiContext } from '../context.ts';
import type { ApiRequest } from '../route.ts';
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

/** Reads the user in the path. Throws `not_found`. */
export async function findUser(
  { appUid, params }: Pick<ApiRequest, 'appUid' | 'params'>,
  { store }: ApiContext,
  session?: ClientSession,
): Promise<UserDocument> {
  const filter = { _id: params['userUid'] ?? '', appUid, deletedAt: null };
  const user = await store.users.findOne(filter, within(session));
  if (user === null) throw noSuchUser();
  return user;
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
