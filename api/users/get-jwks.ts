// GET /.well-known/jwks.json: the public keys with which anyone checks a user token.
import { createHash } from 'node:crypto';
import { jwksCachedMs } from '../../lib/crypto/key-rotation.ts';
import type { Handler } from '../http/router.ts';

/** Gives the JWK set (RFC 7517), cacheable for five minutes. */
export const getJwks: Handler = async (_request, context) => {
  const body = await context.tokens.publicKeys();
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  return {
    status: 200,
    body,
    headers: {
      'cache-control': `public, max-age=${jwksCachedMs / 1_000}`,
      etag: `"${digest}"`,
    },
  };
};
