// GET /.well-known/jwks.json: the public keys with which anyone checks a user token.
import { createHash } from 'node:crypto';
import { jwksCachedMs, jwksStaleMs } from '../../lib/identity/key-rotation.ts';
import type { Handler } from '../router.ts';

const cacheControl = `public, max-age=${jwksCachedMs / 1_000}, stale-if-error=${jwksStaleMs / 1_000}`;

/** Returns the JWK set (RFC 7517), cacheable for 5 min, and longer while this fails (RFC 5861). */
export const getJwks: Handler = async (_request, context) => {
  const body = await context.tokens.publicKeys();
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  return {
    status: 200,
    body,
    headers: { 'cache-control': cacheControl, etag: `"${digest}"` },
  };
};
