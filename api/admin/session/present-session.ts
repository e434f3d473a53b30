import { limits } from '../../../lib/limits.ts';
import type { SignedIn } from '../../access/admit-admin.ts';

export function presentSession({
  admin,
  session,
  csrfToken,
}: Pick<SignedIn, 'admin' | 'session' | 'csrfToken'>): Record<string, unknown> {
  return {
    admin: {
      uid: admin._id,
      email: admin.email,
      superuser: admin.superuser,
      hasPassword: admin.passwordHash !== null,
      createdAt: admin.createdAt.toISOString(),
    },
    csrfToken,
    expiresAt: session.expiresAt.toISOString(),
    idleTimeoutSeconds: limits.sessionIdleMs / 1_000,
  };
}
