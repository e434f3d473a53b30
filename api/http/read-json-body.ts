import type { IncomingMessage } from 'node:http';
import { httpLimits } from '../../lib/limits.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { HttpError } from './problems.ts';
import { headerValues } from './raw-headers.ts';
import { parseStrictJson } from './strict-json.ts';

interface BodyOptions<Body> {
  bytesMax: number;
  /** Called with each growth of the buffer. Rejects it by throwing. */
  keep: (bytes: number) => void;
  /** Runs the parse of a large body. */
  inTurn: <T>(parse: () => T) => Promise<T>;
  validate: (value: unknown) => Body;
}

interface JsonBody<Body> {
  /** The body as it was written. */
  bodyText: string;
  body: Body;
}

/** Returns the body. No body counts as `{}`, even with a content type, which some clients always send. */
export async function readJsonBody<Body>(
  request: IncomingMessage,
  { validate, inTurn, ...limits }: BodyOptions<Body>,
): Promise<JsonBody<Body>> {
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return { bodyText: '{}', body: validate({}) };
  checkMediaType(request);
  const parse = (): JsonBody<Body> => {
    const bodyText = decodeUtf8(bytes);
    return { bodyText, body: validate(parseStrictJson(bodyText)) };
  };
  return bytes.length < httpLimits.bodyBytesInTurn ? parse() : inTurn(parse);
}

// Parameters may be empty (RFC 9110 §5.6.6).
const jsonType = /^application\/json(?:\s*;(?:\s*charset=(?:utf-8|"utf-8"))?)*$/i;

function checkMediaType(request: IncomingMessage): void {
  // Node keeps the first value and drops the others.
  const [type = '', ...more] = headerValues(request.rawHeaders, 'content-type');
  if (more.length > 0) throw new AppError('malformed_request', 'send Content-Type only once');
  if (!jsonType.test(type.trim())) {
    const got = type === '' ? 'none' : `"${type.slice(0, 80)}"`;
    const detail = `Content-Type must be application/json (got ${got})`;
    throw new AppError('unsupported_media_type', detail);
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'the body must not be compressed');
  }
}

async function readBytes(
  request: IncomingMessage,
  { bytesMax, keep }: Pick<BodyOptions<never>, 'bytesMax' | 'keep'>,
): Promise<Buffer> {
  let buffer = Buffer.alloc(0);
  let length = 0;
  try {
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
    // Leaving the loop must not destroy the socket before the response is written.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const bytes = chunk as Buffer;
      if (length + bytes.length > bytesMax) throw tooLarge(bytesMax);
      // Copied, because each of a hundred thousand tiny chunks would take 200 bytes.
      if (length + bytes.length > buffer.length) {
        const size = Math.min(bytesMax, Math.max(2 * buffer.length, length + bytes.length));
        keep(size - buffer.length);
        buffer = Buffer.concat([buffer], size);
      }
      bytes.copy(buffer, length);
      length += bytes.length;
    }
  } catch (error) {
    if (error instanceof AppError) {
      // The body was not read to its end, so the connection cannot serve another request.
      const { code, message, retryAfterSeconds } = error;
      const headers = { connection: 'close' };
      throw new HttpError(code, message, { headers, retryAfterSeconds, cause: error });
    }
    throw new AppError('malformed_request', 'the body did not arrive completely', { cause: error });
  }
  return buffer.subarray(0, length);
}

function tooLarge(bytesMax: number): AppError {
  return new AppError('payload_too_large', `the body must be at most ${bytesMax} bytes`);
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AppError('malformed_json', 'the body is not valid UTF-8');
  }
}
