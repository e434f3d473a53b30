// POST …/agents: creates an agent; the event is agent.created.
import { newId } from '../../lib/platform/ids.ts';
import { checkAccounts } from '../../lib/identity/check-accounts.ts';
import type { Handler } from '../router.ts';
import { agentKind, type CreateAgentBody } from './agent.ts';
import { createResource } from './resource-kind.ts';

export const createAgent: Handler<CreateAgentBody> = (request, context) => {
  const { appUid, body } = request;
  return createResource(agentKind, context, {
    request,
    path: '/agents',
    async make(session, now) {
      const accountUids = body.accountUids ?? null;
      await checkAccounts(context.store, { appUid, accountUids: accountUids ?? [] }, session);
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
};
