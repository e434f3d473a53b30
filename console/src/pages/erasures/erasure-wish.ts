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

/** Checks whether the form names a tenant, or between one and ten identifiers. */
export function isComplete({ of, tenant, mentions }: ErasureWish): boolean {
  const count = mentionsOf(mentions).length;
  return of === 'tenant' ? tenant.trim() !== '' : count > 0 && count <= mentionsMax;
}

export function bodyOfErasure({ of, tenant, mentions }: ErasureWish): CreateErasureBody {
  return of === 'tenant' ? { externalTenantId: tenant.trim() } : { mentions: mentionsOf(mentions) };
}

/** Returns the text to type before the button is enabled. */
export function wordOf({ of, tenant }: ErasureWish): string {
  return of === 'tenant' ? tenant.trim() : 'erase';
}
