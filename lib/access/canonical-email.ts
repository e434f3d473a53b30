import { domainToASCII, domainToUnicode } from 'node:url';
import { limits } from '../limits.ts';
import { countCharacters } from '../platform/count-characters.ts';
import { hasInvisible } from '../platform/unicode.ts';

const localPartCharactersMax = 64;
const domainShape =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * Returns the canonical form, or null if the text is not an email. Dots and plus signs stay: only the provider knows
 * whether they matter. Characters that would become ASCII are rejected, because two users would become one (U+212A
 * KELVIN SIGN has the lower case `k`).
 */
export function canonicalEmail(email: string): string | null {
  // Joiners are rejected in domains, too (RFC 5892, A).
  if (hasInvisible(email) || becomesAscii(email)) return null;
  const text = email.normalize('NFC');
  const at = text.lastIndexOf('@');
  // The lower case of a capital sigma depends on its neighbours, and a lower-case J̌ can be composed.
  const local = text.slice(0, at).toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
  const domain = canonicalDomain(text.slice(at + 1));
  if (at < 1 || countCharacters(local) > localPartCharactersMax) return null;
  if (countCharacters(text) > limits.emailCharactersMax) return null;
  if (/[\s\p{Cc}@"(),:;<>[\]\\]/u.test(local) || domain === null) return null;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return null;
  return `${local}@${domain}`;
}

function becomesAscii(email: string): boolean {
  const at = email.lastIndexOf('@');
  const asLocal = (character: string): string => character.normalize('NFC').toLowerCase();
  // Between letters, because no label may begin with a mark.
  const asDomain = (character: string): string => domainToUnicode(`a${character}b`);
  return hasNewAscii(email.slice(0, at), asLocal) || hasNewAscii(email.slice(at + 1), asDomain);
}

const ascii = /^[\0-\x7f]+$/;

function hasNewAscii(text: string, map: (character: string) => string): boolean {
  if (ascii.test(text)) return false;
  return Array.from(text).some((one) => !ascii.test(one) && ascii.test(map(one)));
}

// `domainToASCII` parses a URL's host: it cuts at a slash, decodes %61, drops tabs, turns 0x7f.1 into 127.0.0.1.
function canonicalDomain(text: string): string | null {
  if (/[\s\p{Cc}%/?#\\]/u.test(text)) return null;
  const domain = domainToASCII(text).toLowerCase();
  return domainShape.test(domain) && !/(^|\.)\d+$/.test(domain) ? domain : null;
}
