import type { ApiKey } from '@agent-herald/client';

const soonMs = 7 * 24 * 60 * 60 * 1_000;

export const keyStates = ['active', 'expiring', 'rolled', 'expired', 'revoked'] as const;

/** Returns the state of a key in a word, with its colour. It is `expiring` within a week of its end. */
export function stateOfKey(
  { state, expiresAt, rolledTo }: Pick<ApiKey, 'state' | 'expiresAt' | 'rolledTo'>,
  now: Date,
): { name: (typeof keyStates)[number]; color: string } {
  if (state === 'revoked') return { name: 'revoked', color: 'red' };
  const leftMs = expiresAt === null ? Infinity : new Date(expiresAt).getTime() - now.getTime();
  // The response may be older than the clock of the page.
  if (state === 'expired' || leftMs <= 0) return { name: 'expired', color: 'gray' };
  if (rolledTo !== null) return { name: 'rolled', color: 'yellow' };
  return leftMs <= soonMs
    ? { name: 'expiring', color: 'yellow' }
    : { name: 'active', color: 'teal' };
}

const dayMs = 24 * 60 * 60 * 1_000;
const lifetimes = { '30 days': 30, '90 days': 90, 'a year': 365 } as const;

export const lifetimeChoices = ['never', ...Object.keys(lifetimes), 'at a time'];

/** Returns when a key with this lifetime ends, or null for never. `endsAt` is used if a custom time was chosen. */
export function expiryOf(choice: string, endsAt: string, now: Date): string | null {
  if (choice === 'at a time') return endsAt === '' ? null : endsAt;
  const days = lifetimes[choice as keyof typeof lifetimes] as number | undefined;
  return days === undefined ? null : new Date(now.getTime() + days * dayMs).toISOString();
}
