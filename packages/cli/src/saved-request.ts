// Parses a saved request: raw HTTP, or separate headers and body.

export interface SavedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const blankLine = /\r?\n\r?\n/;

/** Parses a whole request: an optional request line, headers, a blank line and the raw body. */
export function readRawRequest(bytes: Buffer): SavedRequest {
  const found = blankLine.exec(bytes.toString('latin1'));
  const end = found?.index ?? bytes.length;
  const head = bytes.subarray(0, end).toString('latin1');
  return { headers: readLines(head), body: bytes.subarray(end + (found?.[0].length ?? 0)) };
}

/** Parses headers, one per line or as a JSON object. Editors may add a byte order mark. */
export function readHeaders(file: string): Record<string, string> {
  const text = withoutMark(file);
  if (!text.trimStart().startsWith('{')) return readLines(text);
  return fromEntries(Object.entries(JSON.parse(text) as Record<string, unknown>));
}

function readLines(text: string): Record<string, string> {
  const lines = withoutMark(text).split(/\r?\n/);
  // A name is a token (RFC 9110 §5.6.2), unlike the beginning of JSON.
  return fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value] as const];
    }),
  );
}

function withoutMark(text: string): string {
  return text.replace(/^(?:\ufeff|\xef\xbb\xbf)/, '');
}

function fromEntries(entries: readonly (readonly [string, unknown])[]): Record<string, string> {
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
  );
}
