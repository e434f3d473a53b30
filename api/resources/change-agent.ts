import { checkAndLockAccounts } from '../../lib/identity/check-accounts.ts';
import type { Handler } from '../route.ts';
import { agentKind, agentSchema, type ChangeAgentBody } from './agent.ts';
import { changeResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'changeAgent',
  summary: 'Change an agent',
  description: 'Event: `agent.updated`. There is no event if nothing changes.',
  example: { live: false },
  answers: { 200: { description: 'The agent', schema: agentSchema } },
  problems: ['unknown_account_uids'],
};

/** Throws `not_found`, `unknown_account_uids`. */
export const changeAgent: Handler<ChangeAgentBody> = operation(
  facts,
  async ({ appUid, params, body }, context) => {
    const filter = { appUid, _id: params['agentUid'] ?? '' };
    const named = { appUid, accountUids: body.accountUids ?? [] };
    return changeResource(agentKind, context, {
      filter,
      fields: body,
      check: (session) => checkAndLockAccounts(context.store, named, session),
    });
  },
);
