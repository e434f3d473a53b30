// User tokens: JWTs (RFC 7519), verified offline with the published keys.
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

export const userTokenAlgorithm = 'ES256';
export const userTokenType = 'embed+jwt';
export const userTokenAudience = 'embedded-sdk';

export const clockToleranceSeconds = 5;

export interface SigningKey {
  keyId: string;
  privateKey: CryptoKey;
}

/** `privateKeyPem` is PKCS #8. */
export interface NewKey {
  keyId: string;
  publicKey: JWK;
  privateKeyPem: string;
}

/** Contains nothing personal of its own, because anyone can read a token. */
export interface UserClaims {
  userUid: string;
  appUid: string;
  accountUids: readonly string[];
  /** The revocations of the user and the application, when it was issued. */
  epoch: number;
  /** Those of the application alone. */
  appEpoch: number;
  /** As the caller named it; it grants nothing. */
  externalTenantId: string | null;
  /** The origins of pages that may use the token; null: any. */
  origins: readonly string[] | null;
  /** The key of the sign-in. */
  apiKeyUid: string;
}

interface SignedToken {
  authToken: string;
  tokenUid: string;
  issuedAt: Date;
  expiresAt: Date;
}

export async function createSigningKey(): Promise<NewKey> {
  const pair = await generateKeyPair(userTokenAlgorithm, { extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const keyId = await calculateJwkThumbprint(publicJwk);
  return {
    keyId,
    publicKey: { ...publicJwk, kid: keyId, alg: userTokenAlgorithm, use: 'sig' },
    privateKeyPem: await exportPKCS8(pair.privateKey),
  };
}

export async function importSigningKey(keyId: string, privateKeyPem: string): Promise<SigningKey> {
  return { keyId, privateKey: await importPKCS8(privateKeyPem, userTokenAlgorithm) };
}

/** Signs a user's token (docs/api.md, "Verifying a token"); its times are whole seconds. */
export async function signUserToken(
  signingKey: SigningKey,
  claims: UserClaims,
  { issuer, now, lifetimeMs }: { issuer: string; now: Date; lifetimeMs: number },
): Promise<SignedToken> {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const expiresAt = issuedAt + Math.floor(lifetimeMs / 1_000);
  const tokenUid = newId('tok', now);
  const { appUid: app, accountUids: accounts, epoch, appEpoch, apiKeyUid: key } = claims;
  const { externalTenantId: tenant, origins } = claims;
  const optional = {
    ...(tenant === null ? {} : { tenant }),
    ...(origins === null ? {} : { origins }),
  };
  const authToken = await new SignJWT({ app, accounts, epoch, appEpoch, key, ...optional })
    .setProtectedHeader({ alg: userTokenAlgorithm, kid: signingKey.keyId, typ: userTokenType })
    .setIssuer(issuer)
    .setAudience(userTokenAudience)
    .setSubject(claims.userUid)
    .setJti(tokenUid)
    .setIssuedAt(issuedAt)
    // Verifiers such as jose may not tolerate clock differences.
    .setNotBefore(issuedAt - clockToleranceSeconds)
    .setExpirationTime(expiresAt)
    .sign(signingKey.privateKey);
  const [issued, expires] = [new Date(issuedAt * 1_000), new Date(expiresAt * 1_000)];
  return { authToken, tokenUid, issuedAt: issued, expiresAt: expires };
}
