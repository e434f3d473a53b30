// Finds out why a signature is wrong: reverts the usual changes of bodies, secrets and signatures, and tries again.
import { createHmac } from 'node:crypto';
import type { Scheme } from '../../receiver-ts/src/index.ts';
import type { SavedRequest } from './saved-request.ts';

type Undo = (body: Buffer) => Buffer | null;

const parsed = 'the body was parsed and re-serialised; verify the bytes as received';

/** Each function reverts one change of a body, or returns null if it was not made. The text describes the change. */
const changes: readonly (readonly [string, Undo])[] = [
  ['a line break was added at the end of the body', withoutLineBreak],
  ['a byte order mark was added before the body', withoutMark],
  ['the line breaks were changed to CRLF', (body) => edited(body, /\r\n/g, '\n')],
  ['the body still has its chunked transfer encoding', withoutChunks],
  [
    'the body was decoded as Latin-1 and encoded as UTF-8; verify the bytes as received',
    fromLatin1,
  ],
  ['the body was encoded as Latin-1; verify the bytes as received', toUtf8],
  ['the body was encoded as UTF-16; verify the bytes as received', fromUtf16],
  ['the body is base64; decode it first', fromBase64],
  ['the body was encoded as a JSON string; verify the bytes as received', fromJsonText],
  [parsed, withoutWhitespace],
  [parsed, (body) => json(body, (value) => JSON.stringify(value))],
];

/**
 * Returns a description of one or two changes of the body after whose reversal `isRight` accepts the signature. Returns
 * null if there are none.
 */
export async function explainBody(
  body: Buffer,
  isRight: (body: Buffer) => Promise<boolean>,
): Promise<string | null> {
  let tried: { whys: string[]; body: Buffer }[] = [{ whys: [], body }];
  for (let count = 1; count <= 2; count += 1) {
    tried = tried.flatMap((before) =>
      changes.flatMap(([why, undo]) => {
        const undone = undo(before.body);
        const isChanged = undone !== null && !undone.equals(before.body);
        return isChanged ? [{ whys: [...before.whys, why], body: undone }] : [];
      }),
    );
    for (const { whys, body: original } of tried)
      if (await isRight(original)) return [...new Set(whys)].join('; and ');
  }
  return null;
}

function edited(body: Buffer, pattern: RegExp, replacement: string): Buffer {
  // Latin-1 maps each byte to one character.
  return Buffer.from(body.toString('latin1').replace(pattern, replacement), 'latin1');
}

function withoutLineBreak(body: Buffer): Buffer {
  return edited(body, /\r?\n$/, '');
}

function withoutMark(body: Buffer): Buffer {
  return edited(body, /^\xef\xbb\xbf/, '');
}

/** RFC 9112 §7.1. */
function withoutChunks(body: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  let rest = body;
  for (;;) {
    const [head, size] = /^([0-9a-f]{1,6})(?:;[^\r\n]*)?\r\n/i.exec(rest.toString('latin1')) ?? [];
    if (head === undefined || size === undefined) return null;
    const end = head.length + Number.parseInt(size, 16);
    if (end === head.length) return Buffer.concat(parts);
    parts.push(rest.subarray(head.length, end));
    rest = rest.subarray(end + '\r\n'.length);
  }
}

// Most decoders treat Latin-1 as Windows-1252 (WHATWG Encoding, "Names and labels").
const windows1252 = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
);

function fromLatin1(body: Buffer): Buffer | null {
  const bytes = Array.from(body.toString('utf8'), (letter) =>
    letter <= '\xff' ? letter.charCodeAt(0) : windows1252.indexOf(letter),
  );
  return bytes.includes(-1) ? null : Buffer.from(bytes);
}

function toUtf8(body: Buffer): Buffer {
  return Buffer.from(new TextDecoder('windows-1252').decode(body));
}

function fromUtf16(body: Buffer): Buffer | null {
  const encoding = body[0] === 0 || body[0] === 0xfe ? 'utf-16be' : 'utf-16le';
  return body.includes(0) ? Buffer.from(new TextDecoder(encoding).decode(body)) : null;
}

function fromBase64(body: Buffer): Buffer | null {
  const text = body.toString('latin1').trim();
  return /^[A-Za-z0-9+/]{4,}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

function fromJsonText(body: Buffer): Buffer | null {
  return json(body, (value) => (typeof value === 'string' ? value : null));
}

/** Also reverts escapes, but keeps the spelling of numbers. */
function withoutWhitespace(body: Buffer): Buffer | null {
  return json(body, (_, text) =>
    text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_match, quoted?: string) =>
      quoted === undefined ? '' : JSON.stringify(JSON.parse(quoted)),
    ),
  );
}

function json(body: Buffer, write: (value: unknown, text: string) => string | null): Buffer | null {
  const text = body.toString('utf8');
  try {
    const written = write(JSON.parse(text), text);
    return written === null ? null : Buffer.from(written);
  } catch {
    // The body is not JSON.
    return null;
  }
}

interface Signed {
  readonly request: SavedRequest;
  readonly secrets: readonly string[];
  readonly scheme: Scheme;
}

/** Returns how the signature deviates from its scheme, or null if no known deviation matches. */
export function explainSigning({ request, secrets, scheme }: Signed): string | null {
  const { headers, body } = request;
  const isStandard = scheme === 'standard';
  const header = headers[isStandard ? 'webhook-signature' : 'x-webhook-signature'] ?? '';
  const given = header.split(/[\s,]+/).map(digestOf);
  const start = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
  for (const secret of secrets)
    for (const [keyName, key] of Object.entries(keysOf(secret)))
      for (const [covers, text] of Object.entries({ 'the id and the time': start, '': '' })) {
        const digest = createHmac('sha256', key).update(text).update(body).digest('hex');
        if (given.includes(digest))
          return describeSigning({
            isStandard,
            isText: keyName === 'text',
            isTimed: covers !== '',
          });
      }
  return null;
}

function keysOf(secret: string): Readonly<Record<'text' | 'bytes', Buffer>> {
  const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return { text: Buffer.from(secret), bytes };
}

/** Returns the digest in hex, whatever its encoding. */
function digestOf(entry: string): string {
  const text = entry.replace(/^(?:v1|sha256)=/i, '');
  return /^[0-9a-f]{64}$/i.test(text)
    ? text.toLowerCase()
    : Buffer.from(text, 'base64').toString('hex');
}

interface Signing {
  readonly isStandard: boolean;
  readonly isText: boolean;
  readonly isTimed: boolean;
}

function describeSigning({ isStandard, isText, isTimed }: Signing): string {
  const faults = [
    isStandard && isText && 'the key must be the base64-decoded bytes after whsec_',
    !isStandard && !isText && 'the key must be the whole text of the secret',
    isStandard && !isTimed && 'it must cover webhook-id and webhook-timestamp',
    !isStandard && isTimed && 'it must cover only the body',
  ].filter((fault) => fault !== false);
  if (faults.length > 0) return `it was signed differently: ${faults.join(', and ')}`;
  const form = isStandard
    ? 'v1, followed by base64 with padding'
    : 'sha256= followed by lowercase hex';
  return `the signature is right, but not written as ${form}`;
}

/** Returns a suspicion about a body, without a signature to prove it. */
export function suspect({ headers, body }: SavedRequest): string | null {
  const length = headers['content-length'];
  if (body.length === 0) return 'it was read before it was saved';
  if (length !== undefined && /^\d+$/.test(length) && Number(length) !== body.length)
    return `the body has ${body.length} bytes, but Content-Length says ${length}: this is not what arrived`;
  if (body.toString('utf8').includes('\ufffd'))
    return 'the body contains U+FFFD or is not UTF-8: it was decoded with the wrong charset, and bytes were lost';
  return null;
}
