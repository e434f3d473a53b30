// GET …/agents/{agentUid}: one agent.
import type { Handler } from '../router.ts';
import { agentKind } from './agent.ts';
import { getResource } from './resource-kind.ts';

export const getAgent: Handler = ({ appUid, params }, context) =>
  getResource(agentKind, context, { appUid, _id: params['agentUid'] ?? '' });
