import { isActive } from '../../../lib/access/apps.ts';
import { recordAudits } from '../../../lib/access/audit-log.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { revokeAppTokens } from '../../../lib/identity/token-epochs.ts';
import type { AdminHandler } from '../../router.ts';
import { noSuchApp } from './get-app.ts';
import { appSchema, type ChangeAppBody, presentApp } from './present-app.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'changeApp',
  summary: 'Change an application',
  description: 'The call changes the name, or disables or enables the application.',
  example: { active: false },
  answers: { 200: { description: 'The application', schema: appSchema } },
};

/** Writes one audit row per change. Enabling an application revokes its earlier tokens (docs/adr/0013). */
export const changeApp: AdminHandler<ChangeAppBody> = operation(
  facts,
  async (request, { store, clock }) => {
    const { appUid, body, caller } = request;
    const now = clock.now();
    const app = await inTransaction(store, async (session) => {
      const before = await store.apps.findOne({ _id: appUid }, { session });
      if (before === null) throw noSuchApp();
      const { name: previousName } = before;
      const { name = previousName, active = isActive(before) } = body;
      const isChanged = active !== isActive(before);
      const renamed = { action: 'app.renamed', details: { name, previousName } };
      const done = [
        ...(name === previousName ? [] : [renamed]),
        ...(isChanged ? [{ action: active ? 'app.enabled' : 'app.disabled' }] : []),
      ];
      if (done.length === 0) return before;
      const fields = { name, disabledAt: active ? null : (before.disabledAt ?? now) };
      await store.apps.updateOne({ _id: appUid }, { $set: fields }, { session });
      if (isChanged && active) await revokeAppTokens(store, appUid, session);
      const target = { kind: 'app', uid: appUid };
      const rows = done.map((each) => ({ appUid, target, ...each }));
      await recordAudits(store, rows, { caller, now, session });
      return { ...before, ...fields };
    });
    return { status: 200, body: presentApp(app, 'owner') };
  },
);
