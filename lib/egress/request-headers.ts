// The headers of an outgoing request: the caller's, and those that the sender alone decides.

/**
 * Set by the sender or by HTTP itself; a caller's own would break framing, routing or size
 * limits.
 */
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

/**
 * Joins the caller's headers, names as written, with the sender's. Answers are asked for without
 * compression, so that a small answer cannot unfold into a large one.
 * Throws a TypeError for a header that is not the caller's to set.
 */
export function requestHeaders(
  given: Readonly<Record<string, string>>,
  userAgent: string,
): Record<string, string> {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  for (const name of names) {
    if (reservedNames.has(name)) throw new TypeError(`header ${name} is set by the sender`);
  }
  return {
    ...given,
    ...(names.has('user-agent') ? {} : { 'user-agent': userAgent }),
    ...(names.has('accept') ? {} : { accept: '*/*' }),
    'accept-encoding': 'identity',
  };
}
