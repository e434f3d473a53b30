// An admin with a session, both created in the database. Calls use the cookie and the CSRF token.
import { randomBytes } from 'node:crypto';
import { sessionCookie, setCookie } from '../../api/access/cookies.ts';
import { type Clock, systemClock } from '../../lib/platform/clock.ts';
import { csrfTokenOf, hashSessionToken, newSessionToken } from '../../lib/access/session-token.ts';
import { newId } from '../../lib/platform/ids.ts';
import { hourMs } from '../../lib/platform/duration.ts';
import type { AdminDocument } from '../../lib/model/admin.ts';
import { createAdmin } from '../../lib/access/create-admin.ts';
import type { Answer, CallOptions } from './api-client.ts';
import type { TestService } from './service.ts';

export interface TestAdmin {
  admin: AdminDocument;
  email: string;
  password: string;
  /** The headers of a signed-in page. */
  headers: Record<string, string>;
  /** Calls a path of the admin area, such as `/apps`. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** Returns the `name=value` of the cookie that a response sets, or an empty string. */
export function cookieOf(answer: Pick<Answer, 'headers'>): string {
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Returns the headers of the session that a response sets. */
export function sessionHeaders(answer: Answer): Record<string, string> {
  return { cookie: cookieOf(answer), 'x-csrf-token': String(answer.body['csrfToken']) };
}

/** The service that an admin signs in to, in this or another process. */
type Reachable = Pick<TestService, 'store' | 'config' | 'raw'> & { context?: { clock: Clock } };

/** The password of all test admins. */
const password = 'correct horse battery staple';

/** Signs in and returns the headers of the session. */
export async function signIn(
  service: Pick<Reachable, 'raw'>,
  { email, password }: { email: string; password: string },
): Promise<{ answer: Answer; headers: Record<string, string> }> {
  const body = { email, password };
  const answer = await service.raw('POST', '/admin/api/session', { headers: {}, body });
  return { answer, headers: sessionHeaders(answer) };
}

/** Opens a session like a sign-in does, and returns its headers. */
async function openSession(
  { store, config, context }: Reachable,
  { _id }: AdminDocument,
): Promise<Record<string, string>> {
  const token = newSessionToken();
  const now = (context?.clock ?? systemClock).now();
  await store.adminSessions.insertOne({
    _id: newId('ses', now),
    tokenHash: hashSessionToken(token, config.keyPepper),
    adminUid: _id,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: new Date(now.getTime() + 12 * hourMs),
    address: null,
    userAgent: null,
  });
  const content = { value: token, lifetimeMs: 12 * hourMs };
  const [cookie = ''] = setCookie(config.http.publicUrl, sessionCookie, content).split(';');
  return { cookie, 'x-csrf-token': csrfTokenOf(token, config.keyPepper) };
}

/** Creates an admin with a session. The first admin of an installation is a superuser. */
export async function makeTestAdmin(
  service: Reachable,
  { superuser = false }: { superuser?: boolean } = {},
): Promise<TestAdmin> {
  const { store } = service;
  const email = `admin-${randomBytes(4).toString('hex')}@example.com`;
  const admin = await createAdmin(store, { email, password, superuser });
  const headers = await openSession(service, admin);
  return {
    admin,
    email,
    password,
    headers,
    call: (method, path, options) =>
      service.raw(method, `/admin/api${path}`, { headers, ...options }),
  };
}
