import { userAgent } from '../platform/version.ts';

// A caller's own values would break framing, routing or size limits.
const reservedNames: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function isSetBySender(name: string): boolean {
  return reservedNames.has(name.toLowerCase());
}

/** Adds the sender's headers to the caller's. Throws a TypeError for a reserved one. */
export function requestHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  for (const name of names) {
    if (reservedNames.has(name)) throw new TypeError(`header ${name} is set by the sender`);
  }
  return {
    ...headers,
    ...(names.has('user-agent') ? {} : { 'user-agent': userAgent }),
    ...(names.has('accept') ? {} : { accept: '*/*' }),
    // A small response must not expand into a large one.
    'accept-encoding': 'identity',
  };
}
