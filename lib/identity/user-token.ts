// User tokens: JWTs (RFC 7519) signed with ES256, checked offline against the published keys.
import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importPKCS8,
  type JWK,
  SignJWT,
} from 'jose';
import { newId } from '../platform/ids.ts';

/** The one algorithm, the `typ` of the header and the `aud` of the claims: a verifier must ask for all. */
export const userTokenAlgorithm = 'ES256';
export const userTokenType = 'embed+jwt';
export const userTokenAudience = 'embedded-sdk';

/** By how much the clocks of two machines may differ, of which one signs and the other verifies at once. */
export const clockToleranceSeconds = 5;

export interface SigningKey {
  keyId: string;
  privateKey: CryptoKey;
}

/** A new key pair: the public half as a JWK with its kid, the private half as PKCS #8 PEM. */
export interface NewSigningKey {
  keyId: string;
  publicKey: JWK;
  privateKeyPem: string;
}

/** What a token says of its user; nothing personal. */
export interface UserClaims {
  userUid: string;
  appUid: string;
  accountUids: readonly string[];
  /** How often the user's tokens had been revoked (lib/identity/token-epochs.ts). */
  epoch: number;
}

/** Makes an ES256 key pair; its id is the RFC 7638 thumbprint of the public key. */
export async function createSigningKey(): Promise<NewSigningKey> {
  const pair = await generateKeyPair(userTokenAlgorithm, { extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const keyId = await calculateJwkThumbprint(publicJwk);
  return {
    keyId,
    publicKey: { ...publicJwk, kid: keyId, alg: userTokenAlgorithm, use: 'sig' },
    privateKeyPem: await exportPKCS8(pair.privateKey),
  };
}

/** Reads a private key back from its PEM. */
export async function importSigningKey(keyId: string, privateKeyPem: string): Promise<SigningKey> {
  return { keyId, privateKey: await importPKCS8(privateKeyPem, userTokenAlgorithm) };
}

export interface SignOptions {
  issuer: string;
  now: Date;
  lifetimeMs: number;
}

/** Signs a user's token (docs/api.md, "Verifying a token"). Its times are whole seconds, as JWT has them. */
export async function signUserToken(
  key: SigningKey,
  claims: UserClaims,
  { issuer, now, lifetimeMs }: SignOptions,
): Promise<{ authToken: string; expiresAt: Date }> {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const expiresAt = issuedAt + Math.floor(lifetimeMs / 1_000);
  const { appUid: app, accountUids, epoch } = claims;
  const authToken = await new SignJWT({ app, accounts: [...accountUids], epoch })
    .setProtectedHeader({ alg: userTokenAlgorithm, kid: key.keyId, typ: userTokenType })
    .setIssuer(issuer)
    .setAudience(userTokenAudience)
    .setSubject(claims.userUid)
    .setJti(newId('tok', now))
    .setIssuedAt(issuedAt)
    // Other verifiers may allow for no difference; jose by itself does not.
    .setNotBefore(issuedAt - clockToleranceSeconds)
    .setExpirationTime(expiresAt)
    .sign(key.privateKey);
  return { authToken, expiresAt: new Date(expiresAt * 1_000) };
}
