// Opens the session of an admin who has shown who he is.
import {
  csrfTokenOf,
  hashSessionToken,
  newSessionToken,
} from '../../../lib/crypto/session-token.ts';
import type { AdminDocument, AdminSessionDocument } from '../../../lib/store/admins.ts';
import { recordAudit } from '../../../lib/store/audit-log.ts';
import type { Caller } from '../../../lib/store/audit-log.ts';
import { inTransaction } from '../../../lib/store/connect.ts';
import type { ApiContext } from '../../context.ts';
import type { ApiAnswer } from '../../http/router.ts';
import { sessionCookie, setCookie } from '../cookies.ts';
import { presentSession } from './present-session.ts';

/** A session ends after so long, however much it is used. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1_000;

export interface Opening {
  admin: AdminDocument;
  caller: Caller;
  method: 'password' | 'oidc';
  /** The password's hash at today's cost where the stored one is older; the identity to link. */
  changes?: Partial<Pick<AdminDocument, 'passwordHash' | 'identity'>>;
}

/**
 * Opens a session under a new random id and gives the answer with its cookie; null when the admin's
 * password or identity changed meanwhile, so that one that was changed away opens nothing.
 */
export async function openSession(
  context: ApiContext,
  { admin, caller, method, changes = {} }: Opening,
): Promise<ApiAnswer | null> {
  const { store, config, clock } = context;
  const now = clock.now();
  const token = newSessionToken();
  const session: AdminSessionDocument = {
    _id: hashSessionToken(token, config.keyPepper),
    adminUid: admin._id,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: new Date(now.getTime() + sessionLifetimeMs),
  };
  const opened = await inTransaction(store, async (transaction) => {
    const { _id, passwordHash, identity = { $exists: false } } = admin;
    // Written, not read: a change of either at the same moment then conflicts with it.
    const found = await store.admins.updateOne(
      { _id, passwordHash, identity },
      { $set: { lastSignedInAt: now, ...changes } },
      { session: transaction },
    );
    if (found.matchedCount === 0) return false;
    await store.adminSessions.insertOne(session, { session: transaction });
    const actor = { kind: 'admin', uid: _id } as const;
    const record = (action: string, details: Record<string, unknown>): Promise<void> => {
      const signedIn = { caller: { ...caller, actor }, now, session: transaction };
      return recordAudit(store, { appUid: null, action, target: actor, details }, signedIn);
    };
    if (changes.identity) await record('admin.identity_linked', { ...changes.identity });
    await record('admin.signed_in', { method });
    return true;
  });
  if (!opened) return null;
  const csrfToken = csrfTokenOf(token, config.keyPepper);
  const content = { value: token, lifetimeMs: sessionLifetimeMs };
  return {
    status: 200,
    body: presentSession({ admin, session, csrfToken }),
    headers: { 'set-cookie': setCookie(config.http.publicUrl, sessionCookie, content) },
  };
}
