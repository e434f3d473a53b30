// Reads users by identity, those of sign-ins that come at once in one read. Nothing is cached.
import type { Filter } from 'mongodb';
import { coalesce } from '../concurrency/coalesce.ts';
import type { UserDocument, UserIdentity } from '../model/user.ts';
import type { Store } from '../mongo/connect.ts';

/** Whom to look for. */
export interface WantedUser {
  appUid: string;
  identity: UserIdentity;
}

/** Gives the user of an identity, or null. */
export type UserReader = (wanted: WantedUser) => Promise<UserDocument | null>;

// One read at a time: what comes meanwhile goes with the next, so reads grow as the load does.
const reads = { itemsPerCallMax: 200, callsAtOnceMax: 1 };

/** Makes the reader of a process. */
export function createUserReader(store: Store): UserReader {
  return coalesce(reads, async (wanted: readonly WantedUser[]) => {
    const found = await store.users.find(byIdentities(wanted)).toArray();
    const users = new Map(found.flatMap((user) => namesOf(user).map((name) => [name, user])));
    return wanted.map((each) => users.get(nameOf(each)) ?? null);
  });
}

/** One clause an application and kind of identity, each of which is read along its unique index. */
function byIdentities(wanted: readonly WantedUser[]): Filter<UserDocument> {
  const appUids = [...new Set(wanted.map((each) => each.appUid))];
  const clauses = appUids.flatMap((appUid): Filter<UserDocument>[] => {
    const own = wanted.filter((each) => each.appUid === appUid).map((each) => each.identity);
    const externalIds = own.flatMap((id) => ('externalId' in id ? [id.externalId] : []));
    const emailKeys = own.flatMap((id) => ('emailKey' in id ? [id.emailKey] : []));
    return [
      ...(externalIds.length === 0 ? [] : [{ appUid, externalId: { $in: externalIds } }]),
      ...(emailKeys.length === 0 ? [] : [{ appUid, emailKey: { $in: emailKeys } }]),
    ];
  });
  const [only = {}, ...others] = clauses;
  return others.length === 0 ? only : { $or: clauses };
}

function nameOf({ appUid, identity }: WantedUser): string {
  const name = 'externalId' in identity ? `x|${identity.externalId}` : `e|${identity.emailKey}`;
  return `${appUid}|${name}`;
}

function namesOf({ appUid, externalId, emailKey }: UserDocument): string[] {
  return [
    ...(externalId === undefined ? [] : [nameOf({ appUid, identity: { externalId } })]),
    ...(emailKey === undefined ? [] : [nameOf({ appUid, identity: { emailKey } })]),
  ];
}
