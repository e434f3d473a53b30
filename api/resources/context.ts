import { contextData } from '../../lib/model/resource-data.ts';
import type { ContextDocument } from '../../lib/model/resource.ts';
import { validator } from '../http/validate.ts';
import { descriptionField, fixedTenantField, nameField } from './resource-fields.ts';
import type { ResourceKind } from './resource-kind.ts';
import { named } from '../http/schemas.ts';
import { resourceData } from '../event-types/resource-data.ts';

export interface ChangeContextBody {
  contextName?: string;
  description?: string | null;
}

export interface CreateContextBody extends ChangeContextBody {
  contextName: string;
  externalTenantId: string;
}

const properties = {
  contextName: nameField,
  description: { ...descriptionField, description: 'Null removes it.' },
};

export const createContextBody = validator<CreateContextBody>({
  required: ['contextName', 'externalTenantId'],
  properties: { ...properties, externalTenantId: fixedTenantField },
});

export const changeContextBody = validator<ChangeContextBody>({
  properties,
});

export const contextKind: ResourceKind<ContextDocument> = {
  entity: 'context',
  collection: (store) => store.contexts,
  present: contextData,
};

export const contextSchema = named('Context', resourceData.context.schema);
