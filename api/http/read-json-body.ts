// Reads a request's body: its type, its size, its encoding, then its JSON.
import type { IncomingMessage } from 'node:http';
import { limits } from '../../lib/config.ts';
import { AppError } from '../../lib/errors.ts';
import { parseStrictJson } from './strict-json.ts';

/**
 * Gives the parsed body. Throws `unsupported_media_type`, `payload_too_large` or `malformed_json`.
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  checkMediaType(request);
  const bytes = await readBytes(request, limits.requestBytesMax);
  return parseStrictJson(decodeUtf8(bytes));
}

function checkMediaType(request: IncomingMessage): void {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type.trim())) {
    const got = type === '' ? 'none' : `"${type.slice(0, 80)}"`;
    throw new AppError(
      'unsupported_media_type',
      `Content-Type must be application/json (got ${got})`,
    );
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'the body must not be compressed');
  }
}

async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  // The rest of a refused body is not read, so the connection cannot carry another request.
  const tooLarge = new AppError('payload_too_large', `the body must be at most ${bytesMax} bytes`, {
    headers: { connection: 'close' },
  });
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Breaking out of the loop must not destroy the socket before the answer is written.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += (chunk as Buffer).length;
      if (length > bytesMax) throw tooLarge;
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error === tooLarge) throw error;
    throw new AppError('malformed_request', 'the body did not arrive whole', { cause: error });
  }
  return Buffer.concat(chunks);
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AppError('malformed_json', 'the body is not valid UTF-8');
  }
}
