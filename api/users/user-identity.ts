// The identity of a user: the integrator's own ID, or a canonical email unique to the application.
import { createHmac } from 'node:crypto';
import type { UserIdentity } from '../../lib/model/user.ts';

const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Returns a keyed hash of the canonical address, which reveals nothing without the pepper and differs between
 * applications, and a generated address in a domain that receives no mail (RFC 2606).
 */
export function emailIdentity(
  pepper: string,
  appUid: string,
  canonical: string,
): { identity: UserIdentity; email: string } {
  const digest = createHmac('sha256', pepper).update(`email|${appUid}|${canonical}`).digest();
  const emailKey = toBase32(digest);
  return { identity: { emailKey }, email: `u_${emailKey}@${appUid}.users.invalid` };
}

/** Returns the name under which sign-ins of an identity are counted. It reveals nothing without the pepper. */
export function identitySubject(pepper: string, appUid: string, identity: UserIdentity): string {
  if ('emailKey' in identity) return identity.emailKey;
  const { externalId } = identity;
  return createHmac('sha256', pepper)
    .update(`external|${appUid}|${externalId}`)
    .digest('base64url');
}

function toBase32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups
    .map((group) => base32Alphabet.charAt(Number.parseInt(group.padEnd(5, '0'), 2)))
    .join('');
}
