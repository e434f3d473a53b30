// Who a user is: the integrator's own id, or an e-mail made canonical and unique to the application.
import { createHmac } from 'node:crypto';
import type { UserIdentity } from '../../lib/model/user.ts';

const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Makes the identity of an e-mail user: a keyed hash of the canonical address, so that the stored
 * value tells nothing without the pepper and differs from one application to the next; and the
 * address the user has here, under a top-level domain that no mail can reach (RFC 2606).
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

/** Gives a name for an identity under which it may be counted: it tells nothing without the pepper. */
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
