// GET /admin/api/apps/{appUid}/keys/{keyUid}: one API key, without its secret.
import type { AdminHandler } from '../../router.ts';
import { findApiKey } from './api-key-fields.ts';
import { presentApiKey } from './present-api-key.ts';

export const getApiKey: AdminHandler = async (request, context) => {
  const key = await findApiKey(request, context);
  return { status: 200, body: presentApiKey(key, context.clock.now()) };
};
