// A session as the admin area's pages see it: who is signed in, until when, and the CSRF token.
import type { AdminDocument } from '../../../lib/model/admin.ts';
import { sessionIdleMs, type SignedIn } from '../../access/admit-admin.ts';

export interface PresentedAdmin {
  uid: string;
  email: string;
  superuser: boolean;
  hasPassword: boolean;
  createdAt: string;
}

/** Gives an admin's public fields. */
function presentAdmin(admin: AdminDocument): PresentedAdmin {
  return {
    uid: admin._id,
    email: admin.email,
    superuser: admin.superuser,
    hasPassword: admin.passwordHash !== null,
    createdAt: admin.createdAt.toISOString(),
  };
}

/** Gives what a page needs to know of its session. */
export function presentSession({
  admin,
  session,
  csrfToken,
}: Pick<SignedIn, 'admin' | 'session' | 'csrfToken'>): Record<string, unknown> {
  return {
    admin: presentAdmin(admin),
    csrfToken,
    expiresAt: session.expiresAt.toISOString(),
    idleTimeoutSeconds: sessionIdleMs / 1_000,
  };
}
