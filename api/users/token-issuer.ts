// Signs user tokens and publishes the public keys, over the signing keys in the database.
import type { JWK } from 'jose';
import type { SigningKeyTerm } from '../../lib/identity/key-rotation.ts';
import { signUserToken, type UserClaims } from '../../lib/identity/user-token.ts';
import { createSigningKeyRing, type SigningKeyRingPorts } from './signing-key-ring.ts';

export interface TokenIssuer {
  issue(claims: UserClaims): ReturnType<typeof signUserToken>;
  publicKeys(): Promise<{ keys: JWK[] }>;
  terms(): Promise<SigningKeyTerm[]>;
}

export function createTokenIssuer(
  ports: SigningKeyRingPorts & { issuer: string; lifetimeMs: number },
): TokenIssuer {
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
    terms: () => ring.terms(),
  };
}
