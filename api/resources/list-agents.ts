import { listHandler } from '../http/list-handler.ts';
import { agentKind, agentSchema } from './agent.ts';
import { listResources } from './resource-kind.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listAgents',
  summary: 'List agents',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(agentSchema) },
};

export const listAgents = operation(
  facts,
  listHandler({}, ({ appUid, page }, context) =>
    listResources(agentKind, context, { filter: { appUid }, page }),
  ),
);
