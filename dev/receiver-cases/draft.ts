// A case before it is written: the request to a receiver, and the expected result.
import { createHmac, createPrivateKey, sign } from 'node:crypto';

/** A long body that still takes only one line of the file. */
export interface RepeatedBody {
  before: string;
  text: string;
  times: number;
  after: string;
}

type Code =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'body_already_read'
  | 'invalid_body'
  | 'event_id_mismatch';

interface Accepted {
  ok: true;
  eventId: string;
  event: string;
  attempt: number | null;
  attemptsLeft: number | null;
  sequence: number | null;
  test: boolean;
}
interface Refused {
  ok: false;
  code: Code;
}

export interface Draft {
  name: string;
  scheme?: 'standard' | 'body-only';
  /** The secrets of the receiver. The default is the one that signs. */
  secrets?: readonly string[];
  /** The secrets that sign: each makes an entry of `webhook-signature`, and the first makes `X-Webhook-Signature`. */
  signedWith?: readonly string[];
  /** Signs `v1a` for a webhook instead. The receiver has the public key and `webhookUid`. */
  signedFor?: string;
  body?: string | Uint8Array | RepeatedBody;
  timestamp?: string;
  id?: string;
  /** `X-Webhook-Sequence`, which is not signed. */
  sequence?: number | null;
  /** Changes the headers after signing. */
  alter?: (headers: Headers) => Headers;
  /** The body that arrives instead of the signed one. */
  arrives?: string;
  toleranceSeconds?: number;
  expect: Code | Partial<Accepted>;
}

export type Headers = Record<string, string>;

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const otherSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
export const nowSeconds = 1_767_268_800;
export const eventId = 'evt_01sample000000000000000000';
export const webhookUid = 'whk_01sample000000000000000000';
/** Of the vectors of `v1a`, like the private key. */
const publicKey = 'whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=';

// In PKCS #8 (RFC 8410).
export const privateKey = createPrivateKey({
  key: Buffer.from(
    '302e020100300506032b657004220420000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    'hex',
  ),
  format: 'der',
  type: 'pkcs8',
});

export const agentEvent = {
  eventId,
  event: 'agent.updated',
  timestamp: '2026-01-01T12:00:00.000Z',
  appUid: 'app_01sample000000000000000000',
  version: 1,
  data: { uid: 'agt_01sample000000000000000000', externalTenantId: 'tenant-1' },
  sequence: 7,
};
export const agentBody = JSON.stringify(agentEvent);

/** Returns a case per name, all with the same result. */
export function casesOf(
  expect: Draft['expect'],
  drafts: Readonly<Record<string, Omit<Draft, 'name' | 'expect'>>>,
): Draft[] {
  return Object.entries(drafts).map(([name, draft]) => ({ name, ...draft, expect }));
}

/** Returns an entry of `webhook-signature`. */
export function standardSignature(key: string, signed: { start: string; body: Uint8Array }) {
  const hmac = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'));
  return `v1,${hmac.update(signed.start).update(signed.body).digest('base64')}`;
}

/** Returns an entry of `webhook-signature` that public keys verify. */
export function asymmetricSignature(signed: { start: string; body: Uint8Array }) {
  const bytes = Buffer.concat([Buffer.from(signed.start), signed.body]);
  return `v1a,${sign(null, bytes, privateKey).toString('base64')}`;
}

/** Returns the case in the form of the file. */
export function toCase(draft: Draft) {
  const { name, scheme = 'standard', signedWith = [secret], toleranceSeconds } = draft;
  const body = draft.body ?? agentBody;
  return {
    name,
    scheme,
    ...(draft.signedFor === undefined
      ? { secrets: draft.secrets ?? signedWith }
      : { publicKeys: [publicKey], webhookUid }),
    headers: (draft.alter ?? ((same) => same))(headersOf(draft, signedWith)),
    ...(draft.arrives === undefined ? written(body) : written(draft.arrives)),
    nowSeconds,
    ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
    expect: expectationOf(draft),
  };
}

function headersOf(draft: Draft, signedWith: readonly string[]): Headers {
  const { id = eventId, timestamp = String(nowSeconds), sequence = 7, signedFor } = draft;
  const body = bytesOf(draft.body ?? agentBody);
  const isTest = typeof draft.expect === 'object' && draft.expect.test === true;
  const signed = { start: `${id}.${timestamp}.`, body };
  const entries =
    signedFor === undefined
      ? signedWith.map((key) => standardSignature(key, signed))
      : [asymmetricSignature({ start: `${signed.start}${signedFor}.`, body })];
  const ofBody = createHmac('sha256', signedWith[0] ?? '').update(body);
  return {
    'Content-Type': 'application/json',
    'X-Webhook-Signature': `sha256=${ofBody.digest('hex')}`,
    'X-Webhook-Uid': signedFor ?? webhookUid,
    'X-Webhook-Event-Id': id,
    'X-Webhook-Timestamp': new Date(nowSeconds * 1_000).toISOString(),
    'X-Webhook-Attempt': '1',
    'X-Webhook-Attempts-Left': '11',
    ...(sequence === null ? {} : { 'X-Webhook-Sequence': String(sequence) }),
    ...(isTest ? { 'X-Webhook-Test': 'true' } : {}),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': entries.join(' '),
  };
}

function expectationOf({ expect }: Draft): Accepted | Refused {
  if (typeof expect === 'string') return { ok: false, code: expect };
  const { event, sequence } = agentEvent;
  const counts = { attempt: 1, attemptsLeft: 11, sequence };
  return { ok: true, eventId, event, ...counts, test: false, ...expect };
}

export function bytesOf(body: string | Uint8Array | RepeatedBody): Uint8Array {
  if (body instanceof Uint8Array) return body;
  const text =
    typeof body === 'string' ? body : body.before + body.text.repeat(body.times) + body.after;
  return Buffer.from(text);
}

function written(body: string | Uint8Array | RepeatedBody) {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return { bodyRepeat: body };
  return { bodyBase64: Buffer.from(bytesOf(body)).toString('base64') };
}
