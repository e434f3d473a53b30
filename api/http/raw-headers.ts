// Reads headers as they came, because Node joins some repeated headers and drops others silently.

/** Gives every value of a header, in order; `rawHeaders` is Node's flat list of names and values. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '');
  }
  return values;
}
