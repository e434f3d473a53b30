import type { ClientSession } from 'mongodb';
import { AppError } from '../../../lib/platform/errors.ts';
import type { AdminDocument } from '../../../lib/model/admin.ts';
import { type MembershipDocument, roles } from '../../../lib/model/membership.ts';
import { lockApp } from '../../../lib/access/apps.ts';
import type { ApiContext } from '../../context.ts';
import type { AdminRequest } from '../../route.ts';
import { named, objectOf, text, textOrNull, time } from '../../http/schemas.ts';

export const roleField = { type: 'string', enum: [...roles] };

export function presentMember(
  { adminUid, role, createdAt }: MembershipDocument,
  admin: Pick<AdminDocument, 'email'> | undefined,
) {
  return { adminUid, email: admin?.email ?? null, role, createdAt: createdAt.toISOString() };
}

/** Reads the member in the path. Throws `not_found`. */
export async function findMember(
  { store }: ApiContext,
  { appUid, params }: Pick<AdminRequest, 'appUid' | 'params'>,
  session: ClientSession,
): Promise<MembershipDocument> {
  const filter = { adminUid: params['adminUid'] ?? '', appUid };
  const member = await store.memberships.findOne(filter, { session });
  if (member === null) throw new AppError('not_found', 'there is no such member');
  return member;
}

/** Throws `conflict` for the last owner, even if two owners remove each other concurrently. */
export async function keepAnOwner(
  { store }: ApiContext,
  { appUid, adminUid, role }: MembershipDocument,
  session: ClientSession,
): Promise<void> {
  await lockApp(store, appUid, session);
  if (role !== 'owner') return;
  const others = { appUid, role, adminUid: { $ne: adminUid } };
  if ((await store.memberships.findOne(others, { session })) !== null) return;
  throw new AppError(
    'conflict',
    'an application must keep at least one owner; make another member an owner first',
  );
}

export const memberSchema = named(
  'Member',
  objectOf<ReturnType<typeof presentMember>>({
    adminUid: text,
    email: textOrNull,
    role: roleField,
    createdAt: time,
  }),
);
