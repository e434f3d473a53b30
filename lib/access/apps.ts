// Applications and their accounts: the parents of everything else.
import type { ClientSession } from 'mongodb';
import { newId } from '../platform/ids.ts';
import type { AccountDocument } from '../model/account.ts';
import type { AppDocument } from '../model/app.ts';
import type { Store } from '../mongo/connect.ts';

type NewAccount = Pick<AccountDocument, 'appUid' | 'name'>;

/** Makes an application, to be stored by the caller. */
export function makeApp(name: string, now: Date): AppDocument {
  return { _id: newId('app', now), name, webhookCount: 0, createdAt: now };
}

/** Makes an account, to be stored by the caller. */
export function makeAccount({ appUid, name }: NewAccount, now: Date): AccountDocument {
  return { _id: newId('acc', now), appUid, name, createdAt: now, updatedAt: now };
}

/** Tells whether an application's API keys open anything: while it is disabled none does. */
export function isActive({ disabledAt }: Pick<AppDocument, 'disabledAt'>): boolean {
  return (disabledAt ?? null) === null;
}

/**
 * Lets a transaction go alone among those of an application that call this: they write the same
 * document, so the later of two at once runs again and sees what the first did. For rules over
 * several documents, such as "at most 50 keys" or "never without an owner".
 */
export async function goAlone(store: Store, appUid: string, session: ClientSession): Promise<void> {
  await store.apps.updateOne({ _id: appUid }, { $inc: { turn: 1 } }, { session });
}
