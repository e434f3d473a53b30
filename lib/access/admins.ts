import type { ClientSession, Filter } from 'mongodb';
import { newId } from '../platform/ids.ts';
import type { AdminDocument } from '../model/admin.ts';
import type { MembershipDocument } from '../model/membership.ts';
import type { Store } from '../mongo/connect.ts';

/** `email` must be canonical. The caller stores the admin. */
export function makeAdmin(
  fields: Pick<AdminDocument, 'email' | 'passwordHash' | 'superuser'>,
  now: Date,
): AdminDocument {
  const own = { deviceEpoch: 0, createdAt: now, updatedAt: now, lastSignedInAt: null };
  return { _id: newId('adm', now), ...fields, ...own };
}

export function makeMembership(
  fields: Pick<MembershipDocument, 'appUid' | 'adminUid' | 'role'>,
  now: Date,
): MembershipDocument {
  return { _id: newId('mem', now), ...fields, createdAt: now };
}

/** Returns an admin that a transaction relies on, or null. Writes to it, so that a concurrent removal conflicts. */
export async function lockAdmin(
  store: Store,
  filter: Filter<AdminDocument>,
  session: ClientSession,
): Promise<AdminDocument | null> {
  const update = { $set: { updatedAt: new Date() } };
  return store.admins.findOneAndUpdate(filter, update, { session });
}
