import { errors, importJWK, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { limits } from '../limits.ts';
import { isRecord } from '../platform/error-code.ts';
import {
  clockToleranceSeconds,
  type UserClaims,
  userTokenAlgorithm,
  userTokenAudience,
  userTokenType,
} from './user-token.ts';

export interface VerifiedClaims extends Omit<UserClaims, 'appEpoch'> {
  tokenUid: string;
  issuedAt: Date;
  expiresAt: Date;
}

/** `expired`: the token was valid once. Everything else is `invalid`, without a reason. */
type TokenVerdict =
  { claims: VerifiedClaims; reason: null } | { claims: null; reason: 'invalid' | 'expired' };

interface VerifyOptions {
  findKey(keyId: string): Promise<JWK | null>;
  issuer: string;
  appUid: string;
  now: Date;
}

const signatureBytes = 64;
const headerNames = 'alg,kid,typ';

const invalid: TokenVerdict = { claims: null, reason: 'invalid' };
const expired: TokenVerdict = { claims: null, reason: 'expired' };

/** Verifies a token according to RFC 8725 (JWT best current practices). Throws only the errors of `findKey`. */
export async function verifyUserToken(text: string, options: VerifyOptions): Promise<TokenVerdict> {
  const { issuer, appUid, now } = options;
  if (!isCanonicalToken(text)) return invalid;
  try {
    const { payload } = await jwtVerify(text, ({ kid }) => readKey(options, kid), {
      algorithms: [userTokenAlgorithm],
      typ: userTokenType,
      issuer,
      audience: userTokenAudience,
      requiredClaims: ['sub', 'app', 'accounts', 'epoch', 'key', 'jti', 'iat', 'nbf', 'exp'],
      // Not the setting, which may have been longer when the token was signed.
      maxTokenAge: limits.userTokenLifetimeMaxMs / 1_000,
      clockTolerance: clockToleranceSeconds,
      currentDate: now,
    });
    const claims = readClaims(payload);
    if (claims === null || claims.appUid !== appUid) return invalid;
    // The tolerance applies only to a token's start; its end is as told to the caller.
    return claims.expiresAt <= now ? expired : { claims, reason: null };
  } catch (error) {
    if (error instanceof errors.JWTExpired && error.payload['app'] === appUid) return expired;
    if (error instanceof errors.JOSEError) return invalid;
    throw error;
  }
}

async function readKey(
  options: VerifyOptions,
  // Any JSON, written by anyone.
  keyId: unknown,
): ReturnType<typeof importJWK> {
  const key = typeof keyId === 'string' ? await options.findKey(keyId) : null;
  if (key === null) throw new errors.JWKSNoMatchingKey();
  return importJWK(key, userTokenAlgorithm);
}

// Only our own form is unambiguous: no duplicate member, no `jwk`, `jku`, `x5u`, `crit` or `b64`.
function isCanonicalToken(text: string): boolean {
  if (text.length > limits.authTokenCharactersMax) return false;
  const parts = text.split('.').map((part) => Buffer.from(part, 'base64url'));
  if (parts.map((part) => part.toString('base64url')).join('.') !== text) return false;
  const [header, payload, signature, ...more] = parts;
  if (!header || !payload || signature?.length !== signatureBytes || more.length > 0) return false;
  const head = parseCanonicalJson(header);
  if (head === null || Object.keys(head).toSorted().join() !== headerNames) return false;
  return head['typ'] === userTokenType && parseCanonicalJson(payload) !== null;
}

function parseCanonicalJson(bytes: Buffer): Record<string, unknown> | null {
  const text = bytes.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || Array.isArray(value)) return null;
    return JSON.stringify(value) === text ? value : null;
  } catch {
    return null;
  }
}

function readClaims(payload: JWTPayload): VerifiedClaims | null {
  const { sub, aud, app, accounts, epoch, key, jti, iat, exp } = payload;
  const { tenant = null, origins = null } = payload;
  // jose also accepts a list that contains our audience.
  if (aud !== userTokenAudience) return null;
  if (typeof sub !== 'string' || typeof app !== 'string' || typeof jti !== 'string') return null;
  if (!isTextList(accounts) || !(origins === null || isTextList(origins))) return null;
  if (typeof key !== 'string' || !isTextOrNull(tenant)) return null;
  if (!Number.isSafeInteger(epoch) || !isSeconds(iat) || !isSeconds(exp)) return null;
  const lifetimeMs = (exp - iat) * 1_000;
  if (lifetimeMs <= 0 || lifetimeMs > limits.userTokenLifetimeMaxMs) return null;
  return {
    userUid: sub,
    appUid: app,
    accountUids: accounts,
    epoch: Number(epoch),
    apiKeyUid: key,
    externalTenantId: tenant,
    origins,
    tokenUid: jti,
    issuedAt: new Date(iat * 1_000),
    expiresAt: new Date(exp * 1_000),
  };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isSeconds(value: number | undefined): value is number {
  return Number.isSafeInteger(value);
}
