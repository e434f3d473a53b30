// POST …/accounts: creates an account.
import { makeAccount } from '../../lib/access/apps.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import type { ApiContext } from '../context.ts';
import type { ApiRequest, Handler } from '../router.ts';
import { accountSchema, type CreateAccountBody, presentAccount } from './account.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'createAccount',
  summary: 'Creates an account',
  example: { name: 'Acme' },
  answers: { 201: { description: 'The account', schema: accountSchema } },
  takesIdempotencyKey: true,
};

export const createAccount: Handler<CreateAccountBody> = operation(
  facts,
  async (request, context) => {
    const answer = await addAccount(request, context);
    const location = `${request.appPath}/accounts/${answer.uid}`;
    return { status: 201, body: answer, headers: { location } };
  },
);

/** Creates the account that an API key or an admin asks for; names need not be unique. */
export async function addAccount(
  { appUid, body, idempotencyKey, caller }: ApiRequest<CreateAccountBody>,
  { store, secretBox, clock }: ApiContext,
): Promise<ReturnType<typeof presentAccount>> {
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
  return answer;
}
