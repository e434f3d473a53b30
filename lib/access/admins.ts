// The people of the admin area: who they are, what they may do where, and their sessions.
import type { ClientSession, Filter } from 'mongodb';
import { newId } from '../platform/ids.ts';
import type { AdminDocument } from '../model/admin.ts';
import type { MembershipDocument } from '../model/membership.ts';
import type { Store } from '../mongo/connect.ts';

/** Makes an admin, to be stored by the caller. `email` is canonical already. */
export function makeAdmin(
  fields: Pick<AdminDocument, 'email' | 'passwordHash' | 'superuser'>,
  now: Date,
): AdminDocument {
  return { _id: newId('adm', now), ...fields, createdAt: now, updatedAt: now };
}

/** Makes a membership, to be stored by the caller. */
export function makeMembership(
  fields: Pick<MembershipDocument, 'appUid' | 'adminUid' | 'role'>,
  now: Date,
): MembershipDocument {
  return { _id: newId('mem', now), ...fields, createdAt: now };
}

/**
 * Gives an admin that a transaction relies on, or null where there is none. Written, not only read:
 * a removal at the same moment then conflicts with it, so that no admin is named who is none.
 */
export async function holdAdmin(
  store: Store,
  filter: Filter<AdminDocument>,
  session: ClientSession,
): Promise<AdminDocument | null> {
  const touch = { $set: { updatedAt: new Date() } };
  return store.admins.findOneAndUpdate(filter, touch, { session });
}
