import { limits } from '../../../lib/limits.ts';
import type { SignedIn } from '../../access/admit-admin.ts';
import { boolean, countFromOne, named, objectOf, text, time } from '../../http/schemas.ts';

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

interface PresentedAdmin {
  uid: string;
  email: string;
  superuser: boolean;
  hasPassword: boolean;
  createdAt: string;
}

interface PresentedSession {
  admin: PresentedAdmin;
  csrfToken: string;
  expiresAt: string;
  idleTimeoutSeconds: number;
}

export const sessionSchema = named(
  'Session',
  objectOf<PresentedSession>({
    admin: named(
      'Admin',
      objectOf<PresentedAdmin>({
        uid: text,
        email: text,
        superuser: boolean,
        hasPassword: boolean,
        createdAt: time,
      }),
    ),
    csrfToken: { ...text, description: 'Send it as `x-csrf-token` with every other call.' },
    expiresAt: time,
    idleTimeoutSeconds: countFromOne,
  }),
);
