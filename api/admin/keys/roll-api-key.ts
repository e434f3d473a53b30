import { AppError } from '../../../lib/platform/errors.ts';
import { latestTime } from '../../../lib/platform/time.ts';
import type { ApiKeyDocument } from '../../../lib/model/api-key.ts';
import { checkKeyLimits, isKeyAlive, makeApiKey } from '../../../lib/access/api-keys.ts';
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { runOnce } from '../../../lib/mongo/idempotency.ts';
import type { AdminHandler } from '../../route.ts';
import { overlapSecondsDefault, overlapSecondsField } from '../../http/overlap-field.ts';
import { validator } from '../../http/validate.ts';
import { findApiKey } from './api-key-fields.ts';
import { presentApiKey, rolledApiKeySchema } from './present-api-key.ts';
import { operation, type Operation } from '../../http/operation.ts';

interface RollApiKeyBody {
  overlapSeconds?: number;
}

export const rollApiKeyBody = validator<RollApiKeyBody>({
  properties: { overlapSeconds: overlapSecondsField },
});

const facts: Operation = {
  id: 'rollApiKey',
  summary: 'Roll an API key',
  description: 'The call creates a successor. The old key keeps working during an overlap.',
  example: { overlapSeconds: 86_400 },
  answers: {
    201: {
      description: 'The new key and its secret, which is shown only once',
      schema: rolledApiKeySchema,
    },
  },
  problems: ['conflict', 'limit_reached'],
  takesIdempotencyKey: true,
};

export const rollApiKey: AdminHandler<RollApiKeyBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, appPath, body, caller, idempotencyKey } = request;
    const { store, secretBox, config, clock } = context;
    const now = clock.now();
    const overlapSeconds = body.overlapSeconds ?? overlapSecondsDefault;
    const once = { key: idempotencyKey(), secretBox, now };
    const { answer } = await runOnce(store, once, async (session) => {
      const old = await findApiKey(request, context, session);
      checkRollable(old, now);
      // Even at the limit, a leaked key must be rollable.
      await checkKeyLimits(store, { appUid, now, times: 2 }, session);
      const input = {
        appUid,
        name: old.name,
        scopes: old.scopes,
        expiresAt: sameLifetime(old, now),
      };
      const { key, text } = makeApiKey(input, { keyPepper: config.keyPepper, now });
      await store.apiKeys.insertOne(key, { session });
      const expiresAt = earlier(new Date(now.getTime() + overlapSeconds * 1_000), old.expiresAt);
      // Without an overlap it ends immediately, even if the clock of a process is behind.
      const revokedAt = overlapSeconds === 0 ? now : null;
      const ending = { expiresAt, revokedAt, rolledTo: key._id };
      await store.apiKeys.updateOne({ _id: old._id, appUid }, { $set: ending }, { session });
      const target = { kind: 'api_key', uid: old._id };
      const details = { newKeyUid: key._id, overlapSeconds };
      const entry = { appUid, action: 'api_key.rolled', target, details };
      await recordAudit(store, entry, { caller, now, session });
      const previousKey = presentApiKey({ ...old, ...ending }, now);
      return { ...presentApiKey(key, now), apiKey: text, previousKey };
    });
    const location = `${appPath}/keys/${answer.uid}`;
    return { status: 201, body: answer, headers: { location } };
  },
);

function checkRollable(key: ApiKeyDocument, now: Date): void {
  if (key.rolledTo !== null) {
    throw new AppError('conflict', `the key was already rolled; roll ${key.rolledTo} instead`);
  }
  if (!isKeyAlive(key, now)) {
    throw new AppError('conflict', 'the key is revoked or expired; create another key');
  }
}

function sameLifetime({ createdAt, expiresAt }: ApiKeyDocument, now: Date): Date | null {
  if (expiresAt === null) return null;
  return earlier(new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime()), latestTime);
}

function earlier(one: Date, other: Date | null): Date {
  return other !== null && other < one ? other : one;
}
