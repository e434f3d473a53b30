import type { Filter } from 'mongodb';
import { coalesce } from '../concurrency/coalesce.ts';
import type { UserDocument, UserIdentity } from '../model/user.ts';
import type { Store } from '../mongo/connect.ts';

interface WantedUser {
  appUid: string;
  identity: UserIdentity;
}

export type UserReader = (wanted: WantedUser) => Promise<UserDocument | null>;

const reads = { itemsPerCallMax: 200, concurrentCallsMax: 1 };

/** Concurrent sign-ins share a read; nothing is cached. */
export function createUserReader(store: Store): UserReader {
  return coalesce(reads, async (wanted: readonly WantedUser[]) => {
    const found = await store.users.find(byIdentities(wanted)).toArray();
    const users = new Map(found.flatMap((user) => namesOf(user).map((name) => [name, user])));
    return wanted.map((each) => users.get(nameOf(each)) ?? null);
  });
}

/** One clause per application and kind of identity, each read through its unique index. */
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
