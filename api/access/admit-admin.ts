import type { IncomingMessage } from 'node:http';
import {
  csrfTokenOf,
  hashSessionToken,
  isCsrfToken,
  isSessionToken,
} from '../../lib/access/session-token.ts';
import { isSessionAlive } from '../../lib/access/admin-sessions.ts';
import { AppError } from '../../lib/platform/errors.ts';
import type { AdminSessionDocument } from '../../lib/model/admin-session.ts';
import type { AdminDocument } from '../../lib/model/admin.ts';
import { includesRole, type Role } from '../../lib/model/membership.ts';
import type { ApiContext } from '../context.ts';
import { headerValues } from '../http/raw-headers.ts';
import { cookieValues, sessionCookie } from './cookies.ts';
import { checkOwnPages } from './own-pages.ts';
import { spend } from './rate-limits.ts';

/** The access that a route requires of an admin. A role refers to the application in the path. */
export type AdminNeed = 'session' | 'superuser' | Role;

export interface SignedIn {
  admin: AdminDocument;
  session: AdminSessionDocument;
  csrfToken: string;
  /** The role in the application of the path. Null on routes that require none. */
  role: Role | null;
}

const csrfHeader = 'x-csrf-token';

/** Throws `not_signed_in`, with the same text for an absent, unknown, idle and expired session. */
export async function admitAdmin(
  context: ApiContext,
  request: IncomingMessage,
  { appUid, needs }: { appUid: string; needs: AdminNeed },
): Promise<{ signedIn: SignedIn; headers: Record<string, string> }> {
  const { publicUrl } = context.config.http;
  const [token = '', ...more] = cookieValues(publicUrl, sessionCookie, request.rawHeaders);
  if (more.length > 0)
    throw new AppError('credentials_conflict', 'send the session cookie only once');
  const { admin, session } = await findSession(context, token);
  const csrfToken = csrfTokenOf(token, context.config.keyPepper);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    checkOwnPages(publicUrl, request);
    checkCsrfToken(request, csrfToken);
  }
  // The limit covers all sessions of the admin.
  const headers = spend(context.rateLimits.session, admin._id);
  context.recordSessionUse(session._id, session.lastUsedAt);
  const role = await checkNeed(context, admin, { appUid, needs });
  return { signedIn: { admin, session, csrfToken, role }, headers };
}

async function findSession(
  { store, config, clock }: ApiContext,
  token: string,
): Promise<Pick<SignedIn, 'admin' | 'session'>> {
  if (!isSessionToken(token)) throw notSignedIn();
  const tokenHash = hashSessionToken(token, config.keyPepper);
  // Not cached, so that every process rejects an ended session immediately.
  const session = await store.adminSessions.findOne({ tokenHash });
  if (session === null || !isSessionAlive(session, clock.now())) throw notSignedIn();
  const admin = await store.admins.findOne({ _id: session.adminUid });
  if (admin === null) throw notSignedIn();
  return { admin, session };
}

/** A page of another site can neither read the token nor set the header. */
function checkCsrfToken(request: IncomingMessage, right: string): void {
  const [given, ...more] = headerValues(request.rawHeaders, csrfHeader);
  if (given !== undefined && more.length === 0 && isCsrfToken(given, right)) return;
  const detail = `send the session's csrfToken in the header ${csrfHeader}`;
  throw new AppError('cross_site_request', detail);
}

async function checkNeed(
  { store }: ApiContext,
  admin: AdminDocument,
  { appUid, needs }: { appUid: string; needs: AdminNeed },
): Promise<Role | null> {
  if (needs === 'session') return null;
  if (needs === 'superuser') {
    if (admin.superuser) return null;
    throw new AppError('insufficient_role', 'this call needs a superuser');
  }
  const role = admin.superuser
    ? (await store.apps.findOne({ _id: appUid })) && 'owner'
    : (await store.memberships.findOne({ adminUid: admin._id, appUid }))?.role;
  if (!role) throw new AppError('not_found', 'there is no such application');
  if (includesRole(role, needs)) return role;
  throw new AppError('insufficient_role', `this call needs the role ${needs}`);
}

export function notSignedIn(): AppError {
  return new AppError('not_signed_in', 'sign in first; the session may have ended');
}
