// Verifies that a request is a delivery of this webhook, and parses it.
import { isBytes } from './bytes.ts';
import { readEvent, sequenceOf, type WebhookEvent } from './event.ts';
import { countOf, headerOf, type HeadersLike } from './headers.ts';
import { type Check, checkerOf } from './ed25519.ts';
import { type Sign, signerOf } from './hmac.ts';
import { KeySet } from './key-set.ts';
import { checkFunctions } from './limits.ts';
import { bodyAlreadyRead, WebhookRefused } from './refusal.ts';
import {
  bytesOf as decode,
  checkWebhookUid,
  keysOf,
  publicKeysOf,
  type Scheme,
} from './secrets.ts';

export interface VerifierOptions {
  /** The secret of the webhook, as it was shown. Pass several during a rotation. */
  secrets?: string | readonly string[] | undefined;
  /** Instead of `secrets`: the public keys of the application (`whpk_…`), which verify `v1a`. */
  publicKeys?: string | readonly string[] | undefined;
  /** Instead of `secrets`: the URL of the public keys. They are fetched when a delivery needs them, and cached. */
  keySetUrl?: string | undefined;
  /** The uid of the webhook (`whk_…`), required with public keys: they are the same for all webhooks of the application. */
  webhookUid?: string | undefined;
  /** `body-only` checks only `X-Webhook-Signature`, which does not cover the timestamp. */
  scheme?: Scheme | undefined;
  /** The maximum difference between `webhook-timestamp` and the clock, in seconds. The default is 300. */
  toleranceSeconds?: number | undefined;
  /** Returns the current time in milliseconds. The default is `Date.now`. */
  now?: (() => number) | undefined;
}

/** A request as it arrived. The body must not have been parsed. A string is encoded as UTF-8. */
export interface SignedRequest {
  headers: HeadersLike;
  body: Uint8Array | string;
}

/** A verified delivery. */
export interface Delivery {
  event: WebhookEvent;
  /** Not signed: from the header `X-Webhook-Attempt`. Null if it is absent. */
  attempt: number | null;
  /** Not signed: from `X-Webhook-Attempts-Left`. 0 on the last attempt. Null if it is absent. */
  attemptsLeft: number | null;
  /** The number of the change among the changes of the resource. Null for tests and operations events. */
  sequence: number | null;
  isTest: boolean;
}

const toleranceSecondsDefault = 300;

export class Verifier {
  readonly #signers: readonly Sign[];
  readonly #publicKeys: readonly Check[];
  readonly #keySet: KeySet | null;
  /** Null with secrets. */
  readonly #webhookUid: string | null;
  readonly #scheme: Scheme;
  readonly #toleranceSeconds: number;
  readonly #now: () => number;

  constructor(options: VerifierOptions) {
    const { scheme = 'standard', toleranceSeconds = toleranceSecondsDefault } = options;
    if (scheme !== 'standard' && scheme !== 'body-only')
      throw new TypeError('scheme must be standard or body-only');
    if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0)
      throw new TypeError('toleranceSeconds must be a number from 0 on');
    checkFunctions({ now: options.now });
    const { secrets, publicKeys, keySetUrl } = options;
    const now = options.now ?? Date.now;
    checkSources(options);
    const isAsymmetric = publicKeys !== undefined || keySetUrl !== undefined;
    this.#webhookUid = isAsymmetric ? checkWebhookUid(options.webhookUid) : null;
    const keys = isAsymmetric ? [] : keysOf(secrets as string, scheme);
    this.#signers = keys.map((key) => signerOf(key));
    this.#publicKeys = publicKeys === undefined ? [] : publicKeysOf(publicKeys).map(asChecker);
    this.#keySet = keySetUrl === undefined ? null : new KeySet(keySetUrl, now);
    this.#scheme = scheme;
    this.#toleranceSeconds = toleranceSeconds;
    this.#now = now;
  }

  /** Returns the delivery. Rejects with `WebhookRefused` if the request is not a delivery of this webhook. */
  async verify({ headers, body }: SignedRequest): Promise<Delivery> {
    const bytes = bytesOf(body);
    const isStandard = this.#scheme === 'standard';
    await (isStandard ? this.#checkStandard(headers, bytes) : this.#checkBody(headers, bytes));
    const event = readEvent(bytes);
    const id = headerOf(headers, isStandard ? 'webhook-id' : 'x-webhook-event-id');
    if (id !== event.eventId && (isStandard || id !== ''))
      throw new WebhookRefused('event_id_mismatch', 'the body has another eventId than the header');
    return {
      event,
      attempt: countOf(headers, 'x-webhook-attempt'),
      attemptsLeft: countOf(headers, 'x-webhook-attempts-left', 0),
      sequence: sequenceOf(event),
      isTest: event.test === true,
    };
  }

  async #checkStandard(headers: HeadersLike, body: Uint8Array): Promise<void> {
    const id = required(headers, 'webhook-id');
    const timestamp = required(headers, 'webhook-timestamp');
    const signatures = required(headers, 'webhook-signature').split(' ');
    this.#checkTime(timestamp);
    if (this.#webhookUid !== null) {
      const start = new TextEncoder().encode(`${id}.${timestamp}.${this.#webhookUid}.`);
      const signed = concat(start, body);
      if (await this.#isSigned(signed, signatures)) return;
      throw mismatch('no v1a signature in webhook-signature is valid', headers, body);
    }
    for (const sign of this.#signers) {
      const expected = `v1,${base64(await sign(`${id}.${timestamp}.`, body))}`;
      if (signatures.some((signature) => isSame(signature, expected))) return;
    }
    throw mismatch('no signature in webhook-signature is valid', headers, body);
  }

  async #isSigned(signed: Uint8Array, signatures: readonly string[]): Promise<boolean> {
    const candidates = signatures.flatMap(asymmetricSignature).slice(0, asymmetricMax);
    // Without a candidate, no request to the key set is worth it.
    if (candidates.length === 0) return false;
    const isSignedBy = (keys: readonly Check[]) => isAnyValid(keys, { signed, candidates });
    if (this.#keySet === null) return isSignedBy(this.#publicKeys);
    const known = await this.#keySet.keys();
    if (await isSignedBy(known)) return true;
    const others = await this.#keySet.otherKeys(known);
    return others !== null && isSignedBy(others);
  }

  #checkTime(timestamp: string): void {
    if (!/^[0-9]{1,12}$/.test(timestamp))
      throw new WebhookRefused('invalid_timestamp', 'webhook-timestamp is not whole seconds');
    const ageSeconds = Math.floor(this.#now() / 1_000) - Number(timestamp);
    // Not NaN, either, which a wrong clock makes of any time.
    if (!(ageSeconds <= this.#toleranceSeconds))
      throw new WebhookRefused('timestamp_too_old', `the request is ${ageSeconds} s old`);
    if (-ageSeconds > this.#toleranceSeconds)
      throw new WebhookRefused('timestamp_too_new', `the request is ${-ageSeconds} s ahead`);
  }

  async #checkBody(headers: HeadersLike, body: Uint8Array): Promise<void> {
    const signature = required(headers, 'x-webhook-signature');
    for (const sign of this.#signers)
      if (isSame(signature, `sha256=${hex(await sign('', body))}`)) return;
    throw mismatch('X-Webhook-Signature is wrong', headers, body);
  }
}

function checkSources({ secrets, publicKeys, keySetUrl, scheme }: VerifierOptions): void {
  const given = [secrets, publicKeys, keySetUrl].filter((source) => source !== undefined);
  if (given.length > 1)
    throw new TypeError('secrets must be the only one of secrets, publicKeys and keySetUrl');
  if (secrets === undefined && given.length === 1 && scheme === 'body-only')
    throw new TypeError('scheme must be standard with publicKeys or keySetUrl');
}

const asChecker = (key: Uint8Array): Check => checkerOf(key);

/** How many `v1a` entries are checked: a stranger may send thousands. */
const asymmetricMax = 20;
// 64 bytes.
const asymmetricEntry = /^v1a,([A-Za-z0-9+/]{85}[AQgw]==)$/;

function asymmetricSignature(entry: string): Uint8Array[] {
  const [, base64text] = asymmetricEntry.exec(entry) ?? [];
  return base64text === undefined ? [] : [decode(base64text)];
}

async function isAnyValid(
  keys: readonly Check[],
  { signed, candidates }: { signed: Uint8Array; candidates: readonly Uint8Array[] },
): Promise<boolean> {
  for (const check of keys)
    for (const signature of candidates) if (await check(signed, signature)) return true;
  return false;
}

function concat(start: Uint8Array, end: Uint8Array): Uint8Array {
  const all = new Uint8Array(start.length + end.length);
  all.set(start);
  all.set(end, start.length);
  return all;
}

/** If the body is not as long as Content-Length, something read or changed it before the receiver. */
function mismatch(message: string, headers: HeadersLike, body: Uint8Array): WebhookRefused {
  const bytes = countOf(headers, 'content-length');
  if (bytes !== null && bytes !== body.length)
    return new WebhookRefused(
      'body_already_read',
      `${bodyAlreadyRead} (Content-Length is ${bytes}, the body has ${body.length} bytes)`,
    );
  const hint = body.length === 0 ? ': the body is empty' : '';
  return new WebhookRefused('signature_mismatch', message + hint);
}

function bytesOf(body: unknown): Uint8Array {
  if (isBytes(body)) return body;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  throw new TypeError('body is not the bytes that arrived: verify before anything parses them');
}

function required(headers: HeadersLike, name: string): string {
  const value = headerOf(headers, name);
  if (value === '') throw new WebhookRefused('missing_header', `${name} is missing`);
  return value;
}

/** Compares in constant time for a given length. */
function isSame(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index += 1)
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index);
  return difference === 0;
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
