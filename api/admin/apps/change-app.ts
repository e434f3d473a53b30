import { isActive } from '../../../lib/access/apps.ts';
import { limits } from '../../../lib/limits.ts';
import { recordAudits } from '../../../lib/access/audit-log.ts';
import { revokeAppTokens } from '../../../lib/identity/token-epochs.ts';
import { recordChange } from '../../changes/record-change.ts';
import type { AdminHandler } from '../../route.ts';
import { noSuchApp } from './get-app.ts';
import { appSchema, type ChangeAppBody, presentApp } from './present-app.ts';
import { operation, type Operation } from '../../http/operation.ts';
import { invalidRequest } from '../../http/validate.ts';

const facts: Operation = {
  id: 'changeApp',
  summary: 'Change an application',
  description:
    'The call changes the name, the origins or `webhookChallenge`, or disables or enables the application.',
  example: { active: false },
  answers: { 200: { description: 'The application', schema: appSchema } },
};

/** Writes one audit row per change. Disabling and enabling an application revoke its tokens (docs/adr/0013). */
export const changeApp: AdminHandler<ChangeAppBody> = operation(facts, async (request, context) => {
  const { appUid, body, caller } = request;
  const { store } = context;
  checkOriginBytes(body.origins ?? []);
  const recording = { appUid, key: null, entities: ['application'] } as const;
  const app = await recordChange(context, recording, async (session, now) => {
    const before = await store.apps.findOne({ _id: appUid }, { session });
    if (before === null) throw noSuchApp();
    const { name: previousName, origins: previousOrigins } = before;
    const { name = previousName, active = isActive(before), origins = previousOrigins } = body;
    const { webhookChallenge = before.webhookChallenge } = body;
    const isChanged = active !== isActive(before);
    const challenges = { action: 'app.challenge_changed', details: { webhookChallenge } };
    const renamed = { action: 'app.renamed', details: { name, previousName } };
    const allowed = { action: 'app.origins_changed', details: { origins, previousOrigins } };
    const done = [
      ...(name === previousName ? [] : [renamed]),
      ...(origins?.join() === previousOrigins?.join() ? [] : [allowed]),
      ...(webhookChallenge === before.webhookChallenge ? [] : [challenges]),
      ...(isChanged ? [{ action: active ? 'app.enabled' : 'app.disabled' }] : []),
    ];
    if (done.length === 0) return { answer: before, changes: [] };
    const disabledAt = active ? null : (before.disabledAt ?? now);
    const fields = { name, origins, webhookChallenge, disabledAt };
    await store.apps.updateOne({ _id: appUid }, { $set: fields }, { session });
    const target = { kind: 'app', uid: appUid };
    const rows = done.map((each) => ({ appUid, target, ...each }));
    await recordAudits(store, rows, { caller, now, session });
    const answer = { ...before, ...fields };
    if (!isChanged) return { answer, changes: [] };
    const epoch = await revokeAppTokens(store, appUid, session);
    const data = { uid: appUid, revokedAt: now, epoch };
    return { answer, changes: [{ event: 'application.tokens_revoked', data }] };
  });
  return { status: 200, body: presentApp(app, 'owner') };
});

function checkOriginBytes(origins: readonly string[]): void {
  const bytes = Buffer.byteLength(origins.join(''));
  if (bytes <= limits.originsBytesMax) return;
  const detail = `origins must have at most ${limits.originsBytesMax} bytes in total (got ${bytes})`;
  throw invalidRequest([{ pointer: '#/origins', code: 'too_large', detail }]);
}
