import type { Party } from '../../lib/concurrency/group-limit.ts';
import { siteOf } from '../../lib/egress/network-of.ts';
import type { Actor } from '../../lib/model/audit-log.ts';
import type { AdminDocument } from '../../lib/model/admin.ts';

/** The group of all callers without a credential. */
export const strangers = 'strangers';

interface Sender {
  actor: Actor;
  admin: AdminDocument | null;
  /** Of the path. Empty on routes without one. */
  appUid: string;
  address: string | null;
}

/**
 * Returns whose share of the process a request uses. A tenant can have many keys and members, and a stranger many
 * addresses, so the shares are not theirs alone. Superusers can always act against an application.
 */
export function partyOf({ actor, admin, appUid, address }: Sender): Party {
  if (actor.kind === 'api_key') return { group: appUid, member: actor.uid };
  if (admin === null) return { group: strangers, member: siteOf(address) };
  const { _id: adminUid, superuser } = admin;
  if (superuser) return { group: adminUid, member: null };
  return { group: 'admins', member: appUid === '' ? adminUid : appUid };
}
