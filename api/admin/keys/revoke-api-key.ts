import { recordAudit } from '../../../lib/access/audit-log.ts';
import { recordChange } from '../../changes/record-change.ts';
import type { AdminHandler } from '../../route.ts';
import { validator } from '../../http/validate.ts';
import { findApiKey } from './api-key-fields.ts';
import { apiKeySchema, presentApiKey } from './present-api-key.ts';
import { operation, type Operation } from '../../http/operation.ts';

interface RevokeApiKeyBody {
  revokeTokens?: boolean;
}

export const revokeApiKeyBody = validator<RevokeApiKeyBody>({
  properties: {
    revokeTokens: {
      type: 'boolean',
      default: false,
      description:
        'True also revokes all tokens from sign-ins with the key, even if the key is already revoked.',
    },
  },
});

const facts: Operation = {
  id: 'revokeApiKey',
  summary: 'Revoke an API key',
  description: 'The key stops working immediately.',
  example: { revokeTokens: true },
  answers: { 200: { description: 'The key', schema: apiKeySchema } },
};

export const revokeApiKey: AdminHandler<RevokeApiKeyBody> = operation(
  facts,
  async (request, context) => {
    const { store } = context;
    const { appUid, body, caller } = request;
    const { revokeTokens = false } = body;
    const recording = { appUid, key: null, entities: ['application'] } as const;
    const key = await recordChange(context, recording, async (session, now) => {
      const found = await findApiKey(request, context, session);
      const endsTokens = revokeTokens && found.tokensRevokedAt === null;
      if (found.revokedAt !== null && !endsTokens) return { answer: found, changes: [] };
      const set = {
        revokedAt: found.revokedAt ?? now,
        ...(endsTokens ? { tokensRevokedAt: now } : {}),
      };
      const { _id: apiKeyUid, name } = found;
      await store.apiKeys.updateOne({ _id: apiKeyUid, appUid }, { $set: set }, { session });
      const target = { kind: 'api_key', uid: apiKeyUid };
      const entry = { appUid, action: 'api_key.revoked', target, details: { name, revokeTokens } };
      await recordAudit(store, entry, { caller, now, session });
      const answer = { ...found, ...set };
      if (!endsTokens) return { answer, changes: [] };
      const data = { uid: appUid, apiKeyUid, revokedAt: now };
      return { answer, changes: [{ event: 'application.key_tokens_revoked', data }] };
    });
    return { status: 200, body: presentApiKey(key, context.clock.now()) };
  },
);
