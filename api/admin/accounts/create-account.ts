// POST /admin/api/apps/{appUid}/accounts: creates an account, as an API key would.
import type { CreateAccountBody } from '../../accounts/account.ts';
import { addAccount } from '../../accounts/create-account.ts';
import type { AdminHandler } from '../../router.ts';

export const createAccount: AdminHandler<CreateAccountBody> = async (request, context) => {
  const answer = await addAccount(request, context);
  const location = `/admin/api/apps/${request.appUid}/accounts/${answer.uid}`;
  return { status: 201, body: answer, headers: { location } };
};
