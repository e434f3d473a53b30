import { AppError } from '../../../lib/platform/errors.ts';
import { isKeyAlive, tokensRefusedUntil } from '../../../lib/access/api-keys.ts';
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import type { AdminHandler } from '../../route.ts';
import { findApiKey } from './api-key-fields.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'deleteApiKey',
  summary: 'Delete an API key',
  description:
    'Only a revoked or expired key can be deleted, and with revoked tokens only an hour later.',
  answers: { 204: { description: 'Done' } },
  problems: ['conflict'],
};

export const deleteApiKey: AdminHandler = operation(facts, async (request, context) => {
  const { store, clock } = context;
  const { appUid, caller } = request;
  const now = clock.now();
  await inTransaction(store, async (session) => {
    const key = await findApiKey(request, context, session);
    if (isKeyAlive(key, now)) throw new AppError('conflict', 'the key is active; revoke it first');
    const until = tokensRefusedUntil(key);
    if (until > now) {
      const detail = `the tokens of the key were revoked; delete it after ${until.toISOString()}, when the last one is over`;
      throw new AppError('conflict', detail);
    }
    await store.apiKeys.deleteOne({ _id: key._id, appUid }, { session });
    const target = { kind: 'api_key', uid: key._id };
    const details = { name: key.name, keyId: key.keyId };
    const entry = { appUid, action: 'api_key.deleted', target, details };
    await recordAudit(store, entry, { caller, now, session });
  });
  return { status: 204 };
});
