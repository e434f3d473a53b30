// The one form of an e-mail address under which its user or admin is known.
import { domainToASCII } from 'node:url';
import { limits } from './config.ts';

const localPartCharactersMax = 64;
const domainShape =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

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
