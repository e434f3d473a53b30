// Opens the session of an admin who has shown who he is.
import {
  csrfTokenOf,
  hashSessionToken,
  newSessionToken,
} from '../../../lib/access/session-token.ts';
import { hourMs } from '../../../lib/platform/duration.ts';
import type { AdminSessionDocument } from '../../../lib/model/admin-session.ts';
import type { AdminDocument } from '../../../lib/model/admin.ts';
import type { Caller } from '../../../lib/model/audit-log.ts';
import { recordAudits } from '../../../lib/access/audit-log.ts';
import { inTransaction, isDuplicateKey } from '../../../lib/mongo/connect.ts';
import type { ApiContext } from '../../context.ts';
import type { ApiAnswer } from '../../router.ts';
import { cookieValues, sessionCookie, setCookie } from '../../access/cookies.ts';
import { rememberDevice } from './known-device.ts';
import { presentSession } from './present-session.ts';

/** A session ends after so long, however much it is used. */
const sessionLifetimeMs = 12 * hourMs;

export interface Opening {
  admin: AdminDocument;
  caller: Caller;
  method: 'password' | 'oidc';
  /** The sessions that the browser had before. */
  endedIds: readonly string[];
  /** The password's hash at today's cost where the stored one is older; the identity to link. */
  changes?: Partial<Pick<AdminDocument, 'passwordHash' | 'identity'>>;
}

/** A session, to be stored by the caller, and the answer that hands it to the browser. */
export interface NewSession {
  session: AdminSessionDocument;
  answer: ApiAnswer;
}

/** Makes a session under a new random id. */
export function makeSession(context: ApiContext, admin: AdminDocument): NewSession {
  const { config, clock } = context;
  const now = clock.now();
  const token = newSessionToken();
  const session: AdminSessionDocument = {
    _id: hashSessionToken(token, config.keyPepper),
    adminUid: admin._id,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: new Date(now.getTime() + sessionLifetimeMs),
  };
  const csrfToken = csrfTokenOf(token, config.keyPepper);
  const content = { value: token, lifetimeMs: sessionLifetimeMs };
  const cookies = [
    setCookie(config.http.publicUrl, sessionCookie, content),
    rememberDevice(context, admin),
  ];
  const body = presentSession({ admin, session, csrfToken });
  return { session, answer: { status: 200, body, headers: { 'set-cookie': cookies } } };
}

/** Gives the ids of the sessions whose cookies a browser sends, good or not. */
export function sessionIdsOf({ config }: ApiContext, rawHeaders: readonly string[]): string[] {
  const tokens = cookieValues(config.http.publicUrl, sessionCookie, rawHeaders);
  return tokens.map((token) => hashSessionToken(token, config.keyPepper));
}

/**
 * Opens a session, ends the one that the browser had before, and gives the answer with its cookies; null
 * when the admin's password or identity changed meanwhile, so that one that was changed away opens
 * nothing, or when the identity was linked to another admin.
 */
export async function openSession(
  context: ApiContext,
  opening: Opening,
): Promise<ApiAnswer | null> {
  const { session, answer } = makeSession(context, opening.admin);
  return (await storeSession(context, opening, session)) ? answer : null;
}

async function storeSession(
  { store }: ApiContext,
  { admin, caller, method, endedIds, changes = {} }: Opening,
  session: AdminSessionDocument,
): Promise<boolean> {
  const now = session.createdAt;
  const { _id, passwordHash, identity = { $exists: false } } = admin;
  const actor = { kind: 'admin', uid: _id } as const;
  const row = { appUid: null, target: actor };
  const linked = { ...row, action: 'admin.identity_linked', details: { ...changes.identity } };
  const signedIn = { ...row, action: 'admin.signed_in', details: { method } };
  const rows = changes.identity ? [linked, signedIn] : [signedIn];
  try {
    return await inTransaction(store, async (transaction) => {
      // Written, not read: a change of either at the same moment then conflicts with it.
      const found = await store.admins.updateOne(
        { _id, passwordHash, identity },
        { $set: { lastSignedInAt: now, ...changes } },
        { session: transaction },
      );
      if (found.matchedCount === 0) return false;
      await store.adminSessions.deleteMany({ _id: { $in: endedIds } }, { session: transaction });
      await store.adminSessions.insertOne(session, { session: transaction });
      const occasion = { caller: { ...caller, actor }, now, session: transaction };
      await recordAudits(store, rows, occasion);
      return true;
    });
  } catch (error) {
    // The identity, which is unique, was linked to another admin after it was looked for.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
