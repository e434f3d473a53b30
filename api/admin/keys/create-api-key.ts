import { addApiKey, checkKeyLimits } from '../../../lib/access/api-keys.ts';
import { runOnce } from '../../../lib/mongo/idempotency.ts';
import type { AdminHandler } from '../../route.ts';
import { type CreateApiKeyBody, readExpiry } from './api-key-fields.ts';
import { createdApiKeySchema, presentApiKey } from './present-api-key.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'createApiKey',
  summary: 'Create an API key',
  example: { name: 'Backend', scopes: ['webhooks:read', 'webhooks:write'] },
  answers: {
    201: {
      description: 'The key and its secret, which is shown only once',
      schema: createdApiKeySchema,
    },
  },
  problems: ['limit_reached'],
  takesIdempotencyKey: true,
};

export const createApiKey: AdminHandler<CreateApiKeyBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, appPath, body, caller, idempotencyKey } = request;
    const { store, secretBox, config, clock } = context;
    const now = clock.now();
    const { name, scopes } = body;
    const once = { key: idempotencyKey(), secretBox, now };
    const { answer } = await runOnce(store, once, async (session) => {
      const expiresAt = readExpiry(body.expiresAt, now);
      const input = { appUid, name, scopes, expiresAt };
      await checkKeyLimits(store, { appUid, now, times: 1 }, session);
      const { keyPepper } = config;
      const { key, text } = await addApiKey(store, input, { keyPepper, caller, now, session });
      return { ...presentApiKey(key, now), apiKey: text };
    });
    const location = `${appPath}/keys/${answer.uid}`;
    return { status: 201, body: answer, headers: { location } };
  },
);
