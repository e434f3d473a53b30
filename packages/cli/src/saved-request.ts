// Parses a saved request: raw HTTP, or separate headers and body.
import { CommandError, exitCodes } from './exit-codes.ts';
import { readGivenFile } from './files.ts';

export interface SavedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The paths of the command line. */
export interface SavedFiles {
  readonly request?: string;
  readonly headers?: string;
  readonly body?: string;
}

const blankLine = /\r?\n\r?\n/;

/** Reads the request from its files. Throws `CommandError` if they do not fit together. */
export function readRequest({ request, headers, body }: SavedFiles): SavedRequest {
  const isWhole = request !== undefined && headers === undefined && body === undefined;
  if (isWhole) return readWhole(request);
  if (request !== undefined || headers === undefined || body === undefined)
    throw new CommandError('use either --request, or --headers and --body', exitCodes.usage);
  if (headers === '-' && body === '-')
    throw new CommandError('only one of --headers and --body can be -', exitCodes.usage);
  return { headers: headersIn(headers), body: readGivenFile(body) };
}

function readWhole(path: string): SavedRequest {
  const request = readRawRequest(readGivenFile(path));
  if (Object.keys(request.headers).length > 0) return request;
  const hint = 'save them before the body, or use --headers and --body';
  throw new CommandError(`${path} has no headers: ${hint}`, exitCodes.usage);
}

function headersIn(path: string): SavedRequest['headers'] {
  const text = readGivenFile(path).toString();
  try {
    return readHeaders(text);
  } catch {
    const fault = `${path} begins like JSON, but is not JSON`;
    throw new CommandError(fault, exitCodes.usage);
  }
}

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
