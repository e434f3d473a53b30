import type { ClientSession } from 'mongodb';
import { newId } from '../platform/ids.ts';
import type { AccountDocument } from '../model/account.ts';
import type { AppDocument } from '../model/app.ts';
import type { Store } from '../mongo/connect.ts';

export function makeApp(name: string, now: Date): AppDocument {
  const facts = { tokenEpoch: 0, webhookChallenge: false, disabledAt: null, origins: null };
  return { _id: newId('app', now), name, webhookCount: 0, ...facts, createdAt: now };
}

export function makeAccount(
  { appUid, name }: Pick<AccountDocument, 'appUid' | 'name'>,
  now: Date,
): AccountDocument {
  return { _id: newId('acc', now), appUid, name, createdAt: now, updatedAt: now };
}

export function isActive({ disabledAt }: Pick<AppDocument, 'disabledAt'>): boolean {
  return disabledAt === null;
}

/** Makes an application's transactions that call it conflict, to serialise them: for rules over several documents. */
export async function lockApp(store: Store, appUid: string, session: ClientSession): Promise<void> {
  await store.apps.updateOne({ _id: appUid }, { $inc: { turn: 1 } }, { session });
}
