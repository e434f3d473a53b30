import { agentData } from '../../lib/model/resource-data.ts';
import type { AgentDocument } from '../../lib/model/resource.ts';
import { validator } from '../http/validate.ts';
import {
  accountUidsField,
  descriptionField,
  fixedTenantField,
  nameField,
} from './resource-fields.ts';
import type { ResourceKind } from './resource-kind.ts';
import { named, described } from '../http/schemas.ts';
import { resourceData } from '../event-types/resource-data.ts';

export interface ChangeAgentBody {
  agentName?: string;
  live?: boolean;
  description?: string | null;
  accountUids?: string[] | null;
}

export interface CreateAgentBody extends ChangeAgentBody {
  agentName: string;
  externalTenantId: string;
}

const properties = described(
  {
    agentName: nameField,
    live: { type: 'boolean' },
    description: descriptionField,
    accountUids: accountUidsField,
  },
  {
    live: 'The default is false.',
    description: 'Null removes it.',
    accountUids:
      'Only users of these accounts can reach the agent. With `[]`, nobody can. Null removes the list, and all users of the application can reach the agent.',
  },
);

export const createAgentBody = validator<CreateAgentBody>({
  required: ['agentName', 'externalTenantId'],
  properties: { ...properties, externalTenantId: fixedTenantField },
});

export const changeAgentBody = validator<ChangeAgentBody>({
  properties,
});

export const agentKind: ResourceKind<AgentDocument> = {
  entity: 'agent',
  collection: (store) => store.agents,
  present: agentData,
};

export const agentSchema = named('Agent', resourceData.agent.schema);
