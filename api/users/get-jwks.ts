import type { JWK } from 'jose';
import { jwksCachedMs, jwksStaleMs } from '../../lib/identity/key-rotation.ts';
import { entityTagOf } from '../http/entity-tag.ts';
import type { ApiAnswer, Handler } from '../route.ts';
import { listOf, named, objectOf, text } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

const cacheControl = `public, max-age=${jwksCachedMs / 1_000}, stale-if-error=${jwksStaleMs / 1_000}`;

export const jwksSchema = named(
  'JwkSet',
  objectOf<{ keys: unknown[] }>({
    keys: listOf({
      type: 'object',
      additionalProperties: true,
      ...objectOf<{ kty: string }>({ kty: text }),
    }),
  }),
);

const facts: Operation = {
  id: 'getJwks',
  summary: 'Get the public keys of user tokens',
  description: 'The response is a JWK set (RFC 7517).',
  answers: {
    200: { description: 'The JWK set', schema: jwksSchema, headers: ['etag'] },
    304: { description: 'Not modified: your copy is current' },
  },
};

export const getJwks: Handler = operation(facts, async (_request, context) =>
  answerKeySet(await context.signingKeys.published()),
);

/** Returns the response with a JWK set (RFC 7517), cacheable for 5 min, and longer while this call fails (RFC 5861). */
export function answerKeySet(keys: JWK[]): ApiAnswer {
  const body = { keys };
  const headers = { 'cache-control': cacheControl, etag: entityTagOf(JSON.stringify(body)) };
  return { status: 200, body, headers };
}
