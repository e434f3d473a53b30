// POST /admin/api/apps/{appUid}/keys: creates an API key and shows it, this once.
import { makeApiKey } from '../../../lib/access/api-keys.ts';
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { runOnce } from '../../../lib/mongo/idempotency.ts';
import type { AdminHandler } from '../../router.ts';
import { type CreateApiKeyBody, makeRoom, readExpiry } from './api-key-fields.ts';
import { presentApiKey } from './present-api-key.ts';

export const createApiKey: AdminHandler<CreateApiKeyBody> = async (request, context) => {
  const { appUid, body, caller, idempotencyKey } = request;
  const { store, secretBox, config, clock } = context;
  const now = clock.now();
  const { name, scopes } = body;
  const once = { key: idempotencyKey(), secretBox, now };
  const { answer } = await runOnce(store, once, async (session) => {
    const expiresAt = readExpiry(body.expiresAt, now);
    const wish = { appUid, name, scopes, expiresAt };
    const { key, text } = makeApiKey(wish, { keyPepper: config.keyPepper, now });
    await makeRoom(context, { appUid, now, times: 1 }, session);
    await store.apiKeys.insertOne(key, { session });
    const target = { kind: 'api_key', uid: key._id };
    const details = { name, scopes, expiresAt };
    const entry = { appUid, action: 'api_key.created', target, details };
    await recordAudit(store, entry, { caller, now, session });
    return { ...presentApiKey(key, now), apiKey: text };
  });
  const location = `/admin/api/apps/${appUid}/keys/${answer.uid}`;
  return { status: 201, body: answer, headers: { location } };
};
