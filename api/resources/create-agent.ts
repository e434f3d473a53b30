import { newId } from '../../lib/platform/ids.ts';
import { checkAndLockAccounts } from '../../lib/identity/check-accounts.ts';
import type { Handler } from '../route.ts';
import { agentKind, agentSchema, type CreateAgentBody } from './agent.ts';
import { createResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'createAgent',
  summary: 'Create an agent',
  description: 'Event: `agent.created`.',
  example: { agentName: 'Support', externalTenantId: 'tenant-1', live: true },
  answers: { 201: { description: 'The agent', schema: agentSchema } },
  problems: ['unknown_account_uids', 'payload_too_large'],
  takesIdempotencyKey: true,
};

export const createAgent: Handler<CreateAgentBody> = operation(facts, (request, context) => {
  const { appUid, body } = request;
  return createResource(agentKind, context, {
    request,
    path: '/agents',
    async make(session, now) {
      const accountUids = body.accountUids ?? null;
      await checkAndLockAccounts(
        context.store,
        { appUid, accountUids: accountUids ?? [] },
        session,
      );
      return {
        _id: newId('agt', now),
        appUid,
        agentName: body.agentName,
        externalTenantId: body.externalTenantId,
        live: body.live ?? false,
        description: body.description ?? null,
        accountUids,
        createdAt: now,
        updatedAt: now,
      };
    },
  });
});
