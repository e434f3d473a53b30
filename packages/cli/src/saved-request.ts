// A request as it was saved: raw HTTP, or its headers and its body apart.

export interface SavedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const blankLine = /\r?\n\r?\n/;

/** Reads a whole request: a request line maybe, headers, a blank line, and the body as it came. */
export function readRawRequest(bytes: Buffer): SavedRequest {
  const found = blankLine.exec(bytes.toString('latin1'));
  const end = found?.index ?? bytes.length;
  const head = bytes.subarray(0, end).toString('latin1');
  return { headers: readHeaders(head), body: bytes.subarray(end + (found?.[0].length ?? 0)) };
}

/** Reads headers one a line, or as a JSON object. Editors put a byte order mark before them. */
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
