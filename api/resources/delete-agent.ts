import type { Handler } from '../route.ts';
import { agentKind } from './agent.ts';
import { deleteResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'deleteAgent',
  summary: 'Delete an agent',
  description: 'Event: `agent.deleted`.',
  answers: { 204: { description: 'Done' } },
};

export const deleteAgent: Handler = operation(facts, ({ appUid, params }, context) =>
  deleteResource(agentKind, context, { filter: { appUid, _id: params['agentUid'] ?? '' } }),
);
