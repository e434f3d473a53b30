// GET …/agents: the application's agents, newest first.
import type { Handler } from '../http/router.ts';
import { agentKind } from './agent.ts';
import { listResources } from './resource-kind.ts';

export const listAgents: Handler = ({ appUid, query }, context) =>
  listResources(agentKind, context, { filter: { appUid }, query });
