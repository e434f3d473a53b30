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
  return { headers: readHeaders(head), body: bytes.subarray(end + (found?.[0].length ?? 0)) };
}

/** Parses headers, one per line or as a JSON object. Editors may add a byte order mark. */
export function readHeaders(file: string): Record<string, string> {
  const text = file.replace(/^(?:\ufeff|\xef\xbb\xbf)/, '');
  const entries = text.trimStart().startsWith('{')
    ? Object.entries(JSON.parse(text) as Record<string, unknown>)
    : text.split(/\r?\n/).map((line) => /^([^\s:]+):(.*)$/.exec(line)?.slice(1) ?? []);
  return Object.fromEntries(
    entries
      .filter(([name]) => name !== undefined)
      .map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
  );
}
