// PATCH …/agents/{agentUid}: changes an agent; the event is agent.updated, if anything changed.
import { checkAccounts } from '../../lib/identity/check-accounts.ts';
import type { Handler } from '../router.ts';
import { agentKind, type ChangeAgentBody } from './agent.ts';
import { changeResource } from './resource-kind.ts';

/** Throws `not_found`, `unknown_account_uids`. */
export const changeAgent: Handler<ChangeAgentBody> = async ({ appUid, params, body }, context) => {
  await checkAccounts(context.store, { appUid, accountUids: body.accountUids ?? [] });
  const filter = { appUid, _id: params['agentUid'] ?? '' };
  return changeResource(agentKind, context, { filter, fields: body });
};
