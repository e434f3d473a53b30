// GET /api/v1/appuid/{appUid}/.well-known/webhook-keys.json: the public keys that verify `v1a` signatures of webhooks.
import { AppError } from '../../lib/platform/errors.ts';
import { operation, type Operation } from '../http/operation.ts';
import type { Handler } from '../route.ts';
import { answerKeySet, jwksSchema } from '../users/get-jwks.ts';

const facts: Operation = {
  id: 'getWebhookKeys',
  summary: 'Get the public keys of webhook signatures',
  description:
    'The response is a JWK set (RFC 7517) of Ed25519 keys (RFC 8037). A new key is published an hour before it signs.',
  answers: {
    200: { description: 'The JWK set', schema: jwksSchema, headers: ['etag'] },
    304: { description: 'Not modified: your copy is current' },
  },
  problems: ['not_found'],
};

/** Returns the JWK set of an application, also of a disabled one. Throws `not_found`. */
export const getWebhookKeys: Handler = operation(facts, async ({ params }, context) => {
  const { appUid = '' } = params;
  // Anyone may call this: only an existing application gets keys.
  const app = await context.store.apps.findOne({ _id: appUid }, { projection: { _id: 1 } });
  if (app === null) throw new AppError('not_found', 'there is no such application');
  return answerKeySet(await context.webhookKeys(appUid).published());
});
