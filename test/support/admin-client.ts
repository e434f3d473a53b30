// An admin with a session: made in the database, signed in over HTTP, calling with cookie and token.
import { randomBytes } from 'node:crypto';
import type { AdminDocument } from '../../lib/model/admin.ts';
import { createAdmin } from '../../lib/store/create-admin.ts';
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

/** Gives the `name=value` of the cookie that an answer sets, or empty. */
export function cookieOf(answer: Pick<Answer, 'headers'>): string {
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Gives the headers of the session that an answer hands over. */
export function sessionHeaders(answer: Answer): Record<string, string> {
  return { cookie: cookieOf(answer), 'x-csrf-token': String(answer.body['csrfToken']) };
}

/** The service that an admin signs in to, in this process or another. */
type Reachable = Pick<TestService, 'store' | 'raw'>;

/** Signs in and gives the headers of the session. */
export async function signIn(
  service: Pick<Reachable, 'raw'>,
  { email, password }: { email: string; password: string },
): Promise<{ answer: Answer; headers: Record<string, string> }> {
  const body = { email, password };
  const answer = await service.raw('POST', '/admin/api/session', { headers: {}, body });
  return { answer, headers: sessionHeaders(answer) };
}

/** Makes an admin and signs in. The first of an installation is a superuser. */
export async function makeTestAdmin(
  service: Reachable,
  { superuser = false }: { superuser?: boolean } = {},
): Promise<TestAdmin> {
  const email = `admin-${randomBytes(4).toString('hex')}@example.com`;
  const password = `correct horse ${randomBytes(6).toString('hex')}`;
  const admin = await createAdmin(service.store, { email, password, superuser });
  const { headers } = await signIn(service, { email, password });
  return {
    admin,
    email,
    password,
    headers,
    call: (method, path, options) =>
      service.raw(method, `/admin/api${path}`, { headers, ...options }),
  };
}
