// Signs user tokens and publishes the public keys, over the signing keys in the database.
import type { JWK } from 'jose';
import type { Clock } from '../../lib/platform/clock.ts';
import { signUserToken, type UserClaims } from '../../lib/identity/user-token.ts';
import { createSigningKeyRing, type SigningKeyRingPorts } from './signing-key-ring.ts';

export interface TokenIssuerPorts extends SigningKeyRingPorts {
  clock: Clock;
  issuer: string;
  lifetimeMs: number;
}

export interface IssuedToken {
  authToken: string;
  expiresAt: Date;
}

export interface TokenIssuer {
  issue(claims: UserClaims): Promise<IssuedToken>;
  /** The public keys a verifier may meet, as a JWK set. */
  publicKeys(): Promise<{ keys: JWK[] }>;
}

/** Makes the issuer of a process. */
export function createTokenIssuer(ports: TokenIssuerPorts): TokenIssuer {
  const { clock, issuer, lifetimeMs } = ports;
  const ring = createSigningKeyRing(ports);
  return {
    async issue(claims) {
      const key = await ring.active();
      return signUserToken(key, claims, { issuer, now: clock.now(), lifetimeMs });
    },
    async publicKeys() {
      return { keys: await ring.published() };
    },
  };
}
