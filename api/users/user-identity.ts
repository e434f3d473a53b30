// Who a user is: the integrator's own id, or an e-mail made canonical and unique to the application.
import { createHmac } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { limits } from '../../lib/config.ts';
import type { UserIdentity } from '../../lib/store/users.ts';

const localPartCharactersMax = 64;
const domainShape =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Gives the form of an e-mail under which its user is known, or null when it is none: Unicode NFC,
 * lower case, the domain in ASCII. Dots and plus signs are kept, for only the mailbox's own
 * provider knows whether they matter. Spaces are refused, not trimmed.
 */
export function canonicalEmail(email: string): string | null {
  const text = email.normalize('NFC');
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const domain = canonicalDomain(text.slice(at + 1));
  if (at < 1 || local.length > localPartCharactersMax || text.length > limits.emailCharactersMax) {
    return null;
  }
  if (/[\s\p{Cc}@"(),:;<>[\]\\]/u.test(local) || domain === null) return null;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return null;
  return `${local.toLowerCase()}@${domain}`;
}

/**
 * Gives a domain in ASCII, or null when it is none. `domainToASCII` reads its text as the host of a
 * URL: it would cut at a slash, decode %61, drop a tab and make 127.0.0.1 of 0x7f.1, so that
 * `a@example.com/x` would be the user `a@example.com`.
 */
function canonicalDomain(text: string): string | null {
  if (/[\s\p{Cc}%/?#\\]/u.test(text)) return null;
  const domain = domainToASCII(text).toLowerCase();
  return domainShape.test(domain) && !/(^|\.)\d+$/.test(domain) ? domain : null;
}

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

function toBase32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups
    .map((group) => base32Alphabet.charAt(Number.parseInt(group.padEnd(5, '0'), 2)))
    .join('');
}
