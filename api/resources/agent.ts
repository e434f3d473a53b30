import type { AgentData } from '../../lib/model/resource-data.ts';
import type { AgentDocument } from '../../lib/model/resource.ts';
import { tenantField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';
import { accountUidsField, descriptionField, nameField, withoutNulls } from './resource-fields.ts';
import type { ResourceKind } from './resource-kind.ts';
import { named } from '../http/schemas.ts';
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

const properties = {
  agentName: nameField,
  live: { type: 'boolean' },
  description: descriptionField,
  accountUids: accountUidsField,
};

export const createAgentBody = validator<CreateAgentBody>({
  type: 'object',
  additionalProperties: false,
  required: ['agentName', 'externalTenantId'],
  properties: { ...properties, externalTenantId: tenantField },
});

export const changeAgentBody = validator<ChangeAgentBody>({
  type: 'object',
  additionalProperties: false,
  properties,
});

export const agentKind: ResourceKind<AgentDocument> = {
  entity: 'agent',
  collection: (store) => store.agents,
  present: (agent): AgentData => ({
    uid: agent._id,
    appUid: agent.appUid,
    agentName: agent.agentName,
    externalTenantId: agent.externalTenantId,
    live: agent.live,
    ...withoutNulls({ description: agent.description, accountUids: agent.accountUids }),
    createdAt: agent.createdAt.toISOString(),
    updatedAt: agent.updatedAt.toISOString(),
  }),
};

export const agentSchema = named('Agent', resourceData.agent.schema);
