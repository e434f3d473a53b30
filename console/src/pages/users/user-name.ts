import type { User } from '@agent-herald/client';

/** Returns what a user is called in a list: by name, or by what the integrator knows. */
export function nameOfUser({ name, externalId, uid }: User): string {
  return name ?? externalId ?? uid;
}
