import { makeAccount } from '../../lib/access/apps.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import type { Handler } from '../route.ts';
import { accountSchema, type CreateAccountBody, presentAccount } from './account.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'createAccount',
  summary: 'Create an account',
  example: { name: 'Acme' },
  answers: { 201: { description: 'The account', schema: accountSchema } },
  takesIdempotencyKey: true,
};

/** Names need not be unique. */
export const createAccount: Handler<CreateAccountBody> = operation(
  facts,
  async ({ appUid, appPath, body, idempotencyKey, caller }, { store, secretBox, clock }) => {
    const now = clock.now();
    const account = makeAccount({ appUid, name: body.name }, now);
    const once = { key: idempotencyKey(), secretBox, now };
    const { answer } = await runOnce(store, once, async (session) => {
      await store.accounts.insertOne(account, { session });
      const target = { kind: 'account', uid: account._id };
      const entry = { appUid, action: 'account.created', target, details: { name: body.name } };
      await recordAudit(store, entry, { caller, now, session });
      return presentAccount(account);
    });
    const location = `${appPath}/accounts/${answer.uid}`;
    return { status: 201, body: answer, headers: { location } };
  },
);
