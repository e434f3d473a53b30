import {
  csrfTokenOf,
  hashSessionToken,
  newSessionToken,
} from '../../../lib/access/session-token.ts';
import { limits } from '../../../lib/limits.ts';
import type { AdminSessionDocument } from '../../../lib/model/admin-session.ts';
import type { AdminDocument } from '../../../lib/model/admin.ts';
import { recordAudits } from '../../../lib/access/audit-log.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { isDuplicateKey } from '../../../lib/mongo/write-errors.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { ApiContext } from '../../context.ts';
import type { ApiAnswer, ApiRequest } from '../../route.ts';
import { cookieValues, sessionCookie, setCookie } from '../../access/cookies.ts';
import { headerValues } from '../../http/raw-headers.ts';
import { rememberDevice } from './known-device.ts';
import { presentSession } from './present-session.ts';

type Visit = Pick<ApiRequest, 'caller' | 'rawHeaders'>;

interface Opening extends Visit {
  admin: AdminDocument;
  method: 'password' | 'oidc';
  /** The hashes of the browser's earlier sessions. */
  endedHashes: readonly string[];
  changes?: Partial<Pick<AdminDocument, 'passwordHash' | 'identity'>>;
}

/** Returns a new session, which the caller must store, and the response with its cookies. */
export function makeSession(
  context: ApiContext,
  admin: AdminDocument,
  { caller, rawHeaders }: Visit,
): { session: AdminSessionDocument; answer: ApiAnswer } {
  const { config, clock } = context;
  const now = clock.now();
  const token = newSessionToken();
  const session: AdminSessionDocument = {
    _id: newId('ses', now),
    tokenHash: hashSessionToken(token, config.keyPepper),
    adminUid: admin._id,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: new Date(now.getTime() + limits.sessionLifetimeMs),
    address: caller.address,
    userAgent: readUserAgent(rawHeaders),
  };
  const csrfToken = csrfTokenOf(token, config.keyPepper);
  const content = { value: token, lifetimeMs: limits.sessionLifetimeMs };
  const cookies = [
    setCookie(config.http.publicUrl, sessionCookie, content),
    rememberDevice(context, admin),
  ];
  const body = presentSession({ admin, session, csrfToken });
  return { session, answer: { status: 200, body, headers: { 'set-cookie': cookies } } };
}

/** Returns the user agent for display, or null. Callers can write anything there. */
function readUserAgent(rawHeaders: readonly string[]): string | null {
  const [text = ''] = headerValues(rawHeaders, 'user-agent');
  const clean = text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, limits.userAgentCharactersMax);
  return clean.trim() || null;
}

/** Returns the hashes of all session cookies of a request, valid or not. */
export function sessionHashesOf({ config }: ApiContext, rawHeaders: readonly string[]): string[] {
  const tokens = cookieValues(config.http.publicUrl, sessionCookie, rawHeaders);
  return tokens.map((token) => hashSessionToken(token, config.keyPepper));
}

/** Returns null if the password or identity has changed since, or was linked to another admin. */
export async function openSession(
  context: ApiContext,
  { admin, caller, rawHeaders, method, endedHashes, changes = {} }: Opening,
): Promise<ApiAnswer | null> {
  const { store } = context;
  const { session, answer } = makeSession(context, admin, { caller, rawHeaders });
  const now = session.createdAt;
  const { _id, passwordHash, identity = { $exists: false } } = admin;
  const actor = { kind: 'admin', uid: _id } as const;
  const row = { appUid: null, target: actor };
  const linked = { ...row, action: 'admin.identity_linked', details: { ...changes.identity } };
  const signedIn = { ...row, action: 'admin.signed_in', details: { method } };
  const rows = changes.identity ? [linked, signedIn] : [signedIn];
  try {
    return await inTransaction(store, async (transaction) => {
      // Written instead of read, so that a concurrent change of either conflicts with it.
      const found = await store.admins.updateOne(
        { _id, passwordHash, identity },
        { $set: { lastSignedInAt: now, ...changes } },
        { session: transaction },
      );
      if (found.matchedCount === 0) return null;
      await store.adminSessions.deleteMany(
        { tokenHash: { $in: [...endedHashes] } },
        { session: transaction },
      );
      await store.adminSessions.insertOne(session, { session: transaction });
      const occasion = { caller: { ...caller, actor }, now, session: transaction };
      await recordAudits(store, rows, occasion);
      return answer;
    });
  } catch (error) {
    // The identity was linked to another admin in the meantime.
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}
