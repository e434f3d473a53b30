// Describes a response for the tenant: its body as text, and anything unusual about it.
import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import { egressLimits } from '../limits.ts';
import type { ResponseHeader } from '../model/attempt.ts';
import { classifySendError } from './classify-send-error.ts';
import type { ReceivedResponse } from './exchange.ts';
import { hideTexts, sampleText } from './response-sample.ts';

const { responseSampleBytesMax, responseHeaderBytesMax, bodyBytesReadMax } = egressLimits;

/** `Retry-After` is a number or a date (RFC 9110 §10.2.3); longer text is neither. */
const retryAfterCharactersMax = 64;

const locationBytesMax = 500;

// Those that say who answered, why, and where its log has the request.
export const keptHeaders = [
  'server',
  'content-type',
  'retry-after',
  'location',
  'x-request-id',
  'cf-ray',
  'x-amzn-requestid',
  'x-amzn-trace-id',
] as const;

export interface ResponseDescription {
  readonly retryAfter: string | null;
  /** Null if nothing was unusual. */
  readonly detail: string | null;
  /** At most 4 KiB of UTF-8. */
  readonly responseSample: string;
  /** At most 8, each with at most 160 bytes of UTF-8 before its `…`. */
  readonly responseHeaders: readonly ResponseHeader[];
}

/** `secretTexts` are removed from the receiver's text. */
export function describeResponse(
  response: ReceivedResponse,
  secretTexts: readonly string[],
): ResponseDescription {
  const retryAfter = response.headers('retry-after');
  const body = readBody(response);
  const redirect = redirectNote(response, secretTexts);
  const notes = [redirect, body.note, faultNote(response)].filter((note) => note !== null);
  return {
    retryAfter: (retryAfter?.length ?? 0) > retryAfterCharactersMax ? null : retryAfter,
    detail: notes.length === 0 ? null : hideTexts(notes.join('; '), secretTexts),
    responseSample: hideTexts(body.text, secretTexts),
    responseHeaders: readHeaders(response, secretTexts),
  };
}

function readHeaders(
  { headers }: ReceivedResponse,
  secretTexts: readonly string[],
): ResponseHeader[] {
  return keptHeaders.flatMap((name) => {
    const text = headers(name);
    if (text === null || text === '') return [];
    return [{ name, value: shorten(text, responseHeaderBytesMax, secretTexts) }];
  });
}

function redirectNote(
  { status, headers }: ReceivedResponse,
  secretTexts: readonly string[],
): string | null {
  const location = headers('location');
  if (location === null || status < 300 || status > 399) return null;
  const shown = shorten(location, locationBytesMax, secretTexts);
  return `redirects are not followed; Location: ${shown}`;
}

// Secrets are hidden before the `…`, after which the beginning of one that was cut would not be found.
function shorten(header: string, bytesMax: number, secretTexts: readonly string[]): string {
  const bytes = Buffer.from(header, 'latin1');
  const shown = hideTexts(sampleText(bytes, true, { bytesMax }), secretTexts);
  return bytes.length > bytesMax ? `${shown}…` : shown;
}

function faultNote({ fault }: ReceivedResponse): string | null {
  return fault === null ? null : (classifySendError(fault, 'exchange')?.detail ?? null);
}

const inflateOptions = {
  // A truncated body is decoded as far as possible; a small response cannot expand into a large one.
  finishFlush: constants.Z_SYNC_FLUSH,
  maxOutputLength: bodyBytesReadMax,
};

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, inflateOptions),
  'x-gzip': (bytes) => gunzipSync(bytes, inflateOptions),
  deflate: (bytes) => inflateSync(bytes, inflateOptions),
  br: (bytes) =>
    brotliDecompressSync(bytes, {
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
      maxOutputLength: bodyBytesReadMax,
    }),
};

// Some receivers compress, although no request offers it.
function readBody({ headers, bodyStart, bodyBytes, complete }: ReceivedResponse): {
  text: string;
  note: string | null;
} {
  const coding = headers('content-encoding')?.trim().toLowerCase() ?? 'identity';
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers('content-type') ?? '')?.[1];
  const sampled = charset === undefined ? {} : { charset };
  const whole = complete && bodyBytes <= responseSampleBytesMax;
  if (coding === 'identity' || coding === '' || bodyBytes === 0) {
    return { text: sampleText(bodyStart, whole, sampled), note: null };
  }
  try {
    const decoded = decoders[coding]?.(bodyStart);
    if (decoded !== undefined) return { text: sampleText(decoded, whole, sampled), note: null };
  } catch {
    // The body is not in this coding, or too large.
  }
  if (isUtf8(bodyStart)) return { text: sampleText(bodyStart, whole), note: null };
  const name = /^[a-z0-9, -]{1,40}$/.test(coding) ? ` (${coding})` : '';
  const size = `${complete ? '' : 'at least '}${bodyBytes} bytes`;
  return { text: '', note: `the response is compressed${name}, ${size}` };
}
