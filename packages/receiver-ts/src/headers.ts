// Reads headers from Node, fetch and plain objects.

export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the value of a header, or '' if it is absent. `name` must be lower case. */
export function headerOf(headers: HeadersLike, name: string): string {
  const value = isLookup(headers) ? headers.get(name) : valueOf(headers, name);
  if (value === null || value === undefined) return '';
  // Some platforms have numbers, such as the length of the body.
  const joined = Array.isArray(value) ? value.join(', ') : String(value);
  return joined.replace(/^[ \t]+|[ \t]+$/g, '');
}

function isLookup(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}

function valueOf(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
) {
  const value = headers[name];
  if (value !== undefined) return value;
  const written = Object.keys(headers).find((each) => each.toLowerCase() === name);
  return written === undefined ? undefined : headers[written];
}

/** Returns a header that is a whole number of at least 1, or null. */
export function countOf(headers: HeadersLike, name: string, min: 0 | 1 = 1): number | null {
  const value = headerOf(headers, name);
  return /^(?:0|[1-9][0-9]{0,14})$/.test(value) && Number(value) >= min ? Number(value) : null;
}
