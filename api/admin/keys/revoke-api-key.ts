import { recordAudit } from '../../../lib/access/audit-log.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import type { AdminHandler } from '../../router.ts';
import { findApiKey } from './api-key-fields.ts';
import { apiKeySchema, presentApiKey } from './present-api-key.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'revokeApiKey',
  summary: 'Revoke an API key',
  description: 'The key stops working immediately.',
  answers: { 200: { description: 'The key', schema: apiKeySchema } },
};

export const revokeApiKey: AdminHandler = operation(facts, async (request, context) => {
  const { store, clock } = context;
  const { appUid, caller } = request;
  const now = clock.now();
  const key = await inTransaction(store, async (session) => {
    const found = await findApiKey(request, context, session);
    if (found.revokedAt !== null) return found;
    const set = { $set: { revokedAt: now } };
    await store.apiKeys.updateOne({ _id: found._id, appUid }, set, { session });
    const target = { kind: 'api_key', uid: found._id };
    const details = { name: found.name };
    const entry = { appUid, action: 'api_key.revoked', target, details };
    await recordAudit(store, entry, { caller, now, session });
    return { ...found, revokedAt: now };
  });
  return { status: 200, body: presentApiKey(key, now) };
});
