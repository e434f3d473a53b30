import type { User } from '@agent-herald/client';

/** Returns the display name of a user: the name, or else the external ID or uid. */
export function nameOfUser({ name, externalId, uid }: User): string {
  return name ?? externalId ?? uid;
}
