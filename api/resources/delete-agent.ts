// DELETE …/agents/{agentUid}: deletes an agent; the event is agent.deleted.
import type { Handler } from '../router.ts';
import { agentKind } from './agent.ts';
import { deleteResource } from './resource-kind.ts';

export const deleteAgent: Handler = ({ appUid, params }, context) =>
  deleteResource(agentKind, context, { filter: { appUid, _id: params['agentUid'] ?? '' } });
