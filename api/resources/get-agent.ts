import type { Handler } from '../route.ts';
import { agentKind, agentSchema } from './agent.ts';
import { getResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getAgent',
  summary: 'Get an agent',
  answers: { 200: { description: 'The agent', schema: agentSchema } },
};

export const getAgent: Handler = operation(facts, ({ appUid, params }, context) =>
  getResource(agentKind, context, { appUid, _id: params['agentUid'] ?? '' }),
);
