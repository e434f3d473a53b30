// Refuses host names that cannot belong to a public receiver, before DNS is asked.

const labelLengthMax = 63;
const nameLengthMax = 253;

/** Letters, digits and inner hyphens (RFC 1123 §2.1), and the underscore some providers use. */
const labelPattern = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/** A last label like this makes some readers take the name for an IPv4 address (RFC 3696 §2). */
const numericPattern = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Names that never leave a private network or a host, or lead out of DNS altogether. Not `example`
 * (RFC 6761 §6.5), which leads nowhere and stands in what integrators try out and document.
 */
const privateSuffixes: readonly string[] = [
  'localhost', // RFC 6761 §6.3
  'localdomain', // how hosts files spell localhost in full
  'local', // RFC 6762, multicast DNS; cluster.local of Kubernetes
  'internal', // ICANN resolution 2024.07.29.06, private use; cloud metadata names
  'intranet', // this and the next four: RFC 6762 appendix G, private in practice
  'private',
  'corp', // also ICANN resolution 2018.02.04.12, never to be delegated
  'home', // the same
  'mail', // the same
  'lan',
  'home.arpa', // RFC 8375
  'svc', // Kubernetes, by its search domains
  'test', // RFC 6761 §6.2
  'invalid', // RFC 6761 §6.4
  'onion', // RFC 7686
  'alt', // RFC 9476
];

/** The name without the one trailing dot that marks it as absolute (RFC 1034 §3.1). */
export function withoutTrailingDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/**
 * True for `localhost` and names under it, which mean this host and nothing else (RFC 6761
 * §6.3).
 */
export function isLocalhostName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** True for a name in lower-case ASCII without a trailing dot, of one label or more. */
export function isHostName(name: string): boolean {
  return refuseSyntax(name) === null;
}

/**
 * Why a lower-case ASCII name without its trailing dot is refused, as the end of a sentence, or
 * null. The names in `allowed`, and those under them, may be private ones.
 */
export function refuseHostName(name: string, allowed: readonly string[] = []): string | null {
  const syntaxRefusal = refuseSyntax(name);
  if (syntaxRefusal !== null) return syntaxRefusal;
  const isAtOrUnder = (end: string): boolean => name === end || name.endsWith(`.${end}`);
  if (allowed.some(isAtOrUnder)) return null;
  const suffix = privateSuffixes.find(isAtOrUnder);
  if (suffix !== undefined) return `is not a public name (${suffix} is reserved)`;
  return name.includes('.') ? null : 'must be a full domain name (got a single label)';
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
    if (!labelPattern.test(label)) return `is not a valid host name (label "${label}")`;
  }
  return numericPattern.test(labels.at(-1) ?? '') ? 'must not end in a number' : null;
}

/** Tells whether a URL's host name is one of this machine: `localhost` or a loopback address. */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
