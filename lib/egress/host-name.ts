// Rejects host names that cannot belong to a public receiver, before any DNS lookup.
import { domainToUnicode } from 'node:url';

const labelLengthMax = 63;
const nameLengthMax = 253;

// RFC 1123 §2.1, plus the underscore that some providers use.
const labelPattern = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

// With a numeric last label, some parsers take the name for an IPv4 address (RFC 3696 §2).
const numericPattern = /^(?:[0-9]+|0x[0-9a-f]*)$/;

// Names of private networks or outside DNS: RFC 6761, 6762 (and its appendix G), 7686, 8375 and 9476, ICANN resolutions
// 2024.07.29.06 and 2018.02.04.12, Kubernetes (svc). Without `example`, which leads nowhere and is used in documents.
const privateSuffixes: readonly string[] = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'mail',
  'lan',
  'home.arpa',
  'svc',
  'test',
  'invalid',
  'onion',
  'alt',
];

/** Removes the trailing dot that marks a name as absolute (RFC 1034 §3.1). */
export function withoutTrailingDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** Checks for names that always mean this host (RFC 6761 §6.3). */
export function isLocalhostName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Checks for a lower-case ASCII name of one or more labels, without a trailing dot. */
export function isHostName(name: string): boolean {
  return refuseSyntax(name) === null;
}

/** Returns why a lower-case name without a trailing dot is rejected, as the end of a sentence, or null. */
export function refuseHostName(name: string, allowed: readonly string[] = []): string | null {
  const syntaxRefusal = refuseSyntax(name);
  if (syntaxRefusal !== null) return syntaxRefusal;
  const isAtOrUnder = (end: string): boolean => name === end || name.endsWith(`.${end}`);
  if (allowed.some(isAtOrUnder)) return null;
  const suffix = privateSuffixes.find(isAtOrUnder);
  if (suffix !== undefined) return `is not a public name (${suffix} is reserved)`;
  return name.includes('.') ? null : 'must be a full domain name (got a single label)';
}

/** Returns the first public name of a list of host names, or null. */
export function firstPublicName(names: readonly string[]): string | null {
  const canonical = names.map((name) => withoutTrailingDot(name.toLowerCase()));
  return canonical.find((name) => refuseHostName(name) === null) ?? null;
}

function refuseSyntax(name: string): string | null {
  if (name.length > nameLengthMax) {
    return `must be at most ${nameLengthMax} characters (got ${name.length})`;
  }
  const labels = name.split('.');
  for (const label of labels) {
    if (label.length > labelLengthMax) {
      return `must have labels of at most ${labelLengthMax} characters (got ${label.length})`;
    }
    if (!labelPattern.test(label) || isBrokenPunycode(label))
      return `is not a valid host name (label "${label}")`;
  }
  return numericPattern.test(labels.at(-1) ?? '') ? 'must not end in a number' : null;
}

// The URL parser of Node 24 accepts labels that IDNA cannot decode; that of Node 20 does not.
function isBrokenPunycode(label: string): boolean {
  return label.startsWith('xn--') && /^\p{ASCII}*$/u.test(domainToUnicode(label));
}

/** Checks for `localhost` and loopback addresses in the form of a URL's host. */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
