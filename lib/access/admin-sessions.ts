import type { Filter } from 'mongodb';
import { limits } from '../limits.ts';
import type { AdminSessionDocument } from '../model/admin-session.ts';

export function isSessionAlive(
  { expiresAt, lastUsedAt }: Pick<AdminSessionDocument, 'expiresAt' | 'lastUsedAt'>,
  now: Date,
): boolean {
  return expiresAt > now && lastUsedAt.getTime() + limits.sessionIdleMs > now.getTime();
}

/** The filter that corresponds to `isSessionAlive`. */
export function aliveSessions(now: Date): Filter<AdminSessionDocument> {
  const idleSince = new Date(now.getTime() - limits.sessionIdleMs);
  return { expiresAt: { $gt: now }, lastUsedAt: { $gt: idleSince } };
}
