// The one form of an e-mail address under which its user or admin is known.
import { domainToASCII } from 'node:url';
import { limits } from '../limits.ts';

const localPartCharactersMax = 64;
const domainShape =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * What nobody sees would make two users of one address. The joiners are refused in domains, too, where
 * some scripts may have them (RFC 5892, appendix A).
 */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Gives the form of an e-mail under which its user is known, or null when it is none: lower case with
 * one small sigma, Unicode NFC, the domain in ASCII. Dots and plus signs are kept, for only the
 * mailbox's own provider knows whether they matter. Spaces and invisible characters are refused, not taken away.
 */
export function canonicalEmail(email: string): string | null {
  if (invisible.test(email)) return null;
  const text = email.normalize('NFC');
  const at = text.lastIndexOf('@');
  // Which small sigma a capital one becomes depends on its neighbours, and a small J̌ can be composed.
  const local = text.slice(0, at).toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
  const domain = canonicalDomain(text.slice(at + 1));
  if (at < 1 || local.length > localPartCharactersMax || text.length > limits.emailCharactersMax) {
    return null;
  }
  if (/[\s\p{Cc}@"(),:;<>[\]\\]/u.test(local) || domain === null) return null;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return null;
  return `${local}@${domain}`;
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
