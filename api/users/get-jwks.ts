// GET /.well-known/jwks.json: the public keys with which anyone checks a user token.
import type { Handler } from '../http/router.ts';

/** Gives the JWK set (RFC 7517), cacheable for five minutes. */
export const getJwks: Handler = async (_request, context) => ({
  status: 200,
  body: await context.tokens.publicKeys(),
  headers: { 'cache-control': 'public, max-age=300' },
});
