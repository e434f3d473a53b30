import { limits } from '../limits.ts';
import type { AdminSessionDocument } from '../model/admin-session.ts';

export function isSessionAlive(
  { expiresAt, lastUsedAt }: Pick<AdminSessionDocument, 'expiresAt' | 'lastUsedAt'>,
  now: Date,
): boolean {
  return expiresAt > now && lastUsedAt.getTime() + limits.sessionIdleMs > now.getTime();
}
