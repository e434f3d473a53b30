// POST …/accounts: creates an account.
import { newId } from '../../lib/ids.ts';
import type { AccountDocument } from '../../lib/store/apps.ts';
import { recordAudit } from '../../lib/store/audit-log.ts';
import { runOnce } from '../../lib/store/idempotency.ts';
import type { Handler } from '../http/router.ts';
import { presentAccount } from './account.ts';
import type { CreateAccountBody } from './account.ts';

/** Creates an account; two may have the same name. */
export const createAccount: Handler<CreateAccountBody> = async (request, context) => {
  const { appUid, body, idempotency, caller } = request;
  const { store, secretBox } = context;
  const now = context.clock.now();
  const account: AccountDocument = {
    _id: newId('acc', now),
    appUid,
    name: body.name,
    createdAt: now,
    updatedAt: now,
  };
  const { answer } = await runOnce(store, { key: idempotency, secretBox, now }, async (session) => {
    await store.accounts.insertOne(account, { session });
    const target = { kind: 'account', uid: account._id };
    const entry = { appUid, action: 'account.created', target, details: { name: body.name } };
    await recordAudit(store, entry, { caller, now, session });
    return presentAccount(account);
  });
  const location = `/api/v1/appuid/${appUid}/accounts/${answer.uid}`;
  return { status: 201, body: answer, headers: { location } };
};
