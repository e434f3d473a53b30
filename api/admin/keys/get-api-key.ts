import type { AdminHandler } from '../../route.ts';
import { findApiKey } from './api-key-fields.ts';
import { apiKeySchema, presentApiKey } from './present-api-key.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'getApiKey',
  summary: 'Get an API key',
  description: 'The response does not contain the secret.',
  answers: { 200: { description: 'The key', schema: apiKeySchema } },
};

export const getApiKey: AdminHandler = operation(facts, async (request, context) => {
  const key = await findApiKey(request, context);
  return { status: 200, body: presentApiKey(key, context.clock.now()) };
});
