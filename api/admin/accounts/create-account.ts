// POST /admin/api/apps/{appUid}/accounts: creates an account, as an API key would.
import { accountSchema, type CreateAccountBody } from '../../accounts/account.ts';
import { addAccount } from '../../accounts/create-account.ts';
import type { AdminHandler } from '../../router.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'createAccount',
  summary: 'Creates an account',
  example: { name: 'Acme' },
  answers: { 201: { description: 'The account', schema: accountSchema } },
  takesIdempotencyKey: true,
};

export const createAccount: AdminHandler<CreateAccountBody> = operation(
  facts,
  async (request, context) => {
    const answer = await addAccount(request, context);
    const location = `/admin/api/apps/${request.appUid}/accounts/${answer.uid}`;
    return { status: 201, body: answer, headers: { location } };
  },
);
