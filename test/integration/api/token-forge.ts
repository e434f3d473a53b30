// Makes tokens like the service or an attacker would: with any header, payload and key.
import {
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { decodeJwt } from 'jose';
import { type IssuedToken, tokenId } from '../../../lib/model/token.ts';
import type { Answer } from '../../support/api-client.ts';
import type { TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

export type Json = Record<string, unknown>;

/** A valid token in its parts, and the service's own key to sign others. */
export interface GoodToken {
  text: string;
  header: Json;
  payload: Json;
  /** Header, payload and signature as encoded in the text. */
  parts: [string, string, string];
  privateKey: KeyObject;
  publicKey: KeyObject;
  publicJwk: JsonWebKey;
}

/** The fault, and how to derive it from a good token. */
export type RefusalCase = [string, (good: GoodToken) => string | Promise<string>];

export function base64url(text: string | Buffer): string {
  return Buffer.from(text).toString('base64url');
}

/** Returns the good token with another header, and with the given signature or none. */
export function unsigned({ header, parts }: GoodToken, changes: Json, signature = ''): string {
  return `${base64url(JSON.stringify({ ...header, ...changes }))}.${parts[1]}.${signature}`;
}

/** Signs two JSON texts with the key and SHA-256: ES256, or the algorithm of the key's type. */
export function signTexts(header: string, payload: string, key: KeyObject): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const signature = sign(digest, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${base64url(signature)}`;
}

/** Signs the good token again with the service's own key, with changes. Undefined removes a field. */
export function resign(
  { header, payload, privateKey }: GoodToken,
  changes: { header?: Json; payload?: Json },
): string {
  const head = JSON.stringify({ ...header, ...changes.header });
  return signTexts(head, JSON.stringify({ ...payload, ...changes.payload }), privateKey);
}

/** Signs a user in and returns the token. */
export async function signIn(service: Pick<TestService, 'call'>, body: Json): Promise<string> {
  const answer = await service.call('POST', '/sdkusers/auth', { body });
  expect(answer.status).toBe(200);
  return String(answer.body['authToken']);
}

/** Returns the row of a token once it can be read: sign-ins do not wait for it. */
export function rowOf({ store }: Pick<TestService, 'store'>, token: string): Promise<IssuedToken> {
  const { sub = '', jti = '' } = decodeJwt(token);
  const _id = tokenId(sub, jti);
  return waitFor(async () => (await store.tokens.findOne<IssuedToken>({ _id })) ?? false);
}

/** Verifies a token. The call must respond to any token. */
export async function verify(
  service: Pick<TestService, 'call'>,
  authToken: string,
  options: { agentUid?: string; origin?: string | undefined } = {},
): Promise<Answer['body']> {
  const body = { authToken, ...options };
  const answer = await service.call('POST', '/sdkusers/token/verify', { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Parses a token and unseals the key that signed it. */
export async function takeApart(service: TestService, text: string): Promise<GoodToken> {
  const parts = text.split('.') as [string, string, string];
  const [header, payload] = parts
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Json);
  const _id = String(header?.['kid']);
  const stored = await service.store.signingKeys.findOne({ _id });
  if (stored === null || !header || !payload) throw new Error(`there is no key ${_id}`);
  const pem = service.context.secretBox.open(stored.privateKey, `signingKeys/${_id}/privateKey`);
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const publicJwk = stored.publicKey as JsonWebKey;
  return { text, header, payload, parts, privateKey, publicKey, publicJwk };
}
