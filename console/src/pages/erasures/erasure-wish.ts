// The values of the erasure form.
import type { CreateErasureBody } from '@agent-herald/client';

export interface ErasureWish {
  of: 'tenant' | 'user';
  tenant: string;
  /** Names of a user in payloads, one per line. */
  mentions: string;
}

const mentionsMax = 10;

function mentionsOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Returns what is missing, or null. */
export function erasureFault({ of, tenant, mentions }: ErasureWish): string | null {
  if (of === 'tenant') return tenant.trim() === '' ? 'Enter the tenant.' : null;
  const count = mentionsOf(mentions).length;
  if (count === 0) return 'Enter at least one identifier of the user.';
  return count > mentionsMax ? `Enter at most ${mentionsMax} identifiers at a time.` : null;
}

export function bodyOfErasure({ of, tenant, mentions }: ErasureWish): CreateErasureBody {
  return of === 'tenant' ? { externalTenantId: tenant.trim() } : { mentions: mentionsOf(mentions) };
}

/** Returns the text to type before the button is enabled. */
export function wordOf({ of, tenant }: ErasureWish): string {
  return of === 'tenant' ? tenant.trim() : 'erase';
}
