// GET …/agents: the agents of the application, newest first.
import { listHandler } from '../http/list-handler.ts';
import { agentKind } from './agent.ts';
import { listResources } from './resource-kind.ts';

export const listAgents = listHandler({}, ({ appUid, page }, context) =>
  listResources(agentKind, context, { filter: { appUid }, page }),
);
