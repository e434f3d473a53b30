import { findTenants } from '../../../lib/events/tenants.ts';
import { limits } from '../../../lib/limits.ts';
import { operation, type Operation } from '../../http/operation.ts';
import { explained, readFilters, textUpTo } from '../../http/query-values.ts';
import { listOf, named, objectOf, text } from '../../http/schemas.ts';
import type { AdminHandler } from '../../route.ts';

const tenantSchema = named(
  'Tenant',
  objectOf<{ externalTenantId: string }>({ externalTenantId: text }),
);

const facts: Operation = {
  id: 'listTenants',
  summary: 'List tenants',
  description: `The list has the first ${limits.tenantsFoundMax} tenants that have stored events, in the order of code points.`,
  answers: { 200: { description: 'The tenants', schema: listOf(tenantSchema) } },
};

const parameters = {
  prefix: explained(
    textUpTo(limits.tenantCharactersMax),
    'The beginning of the tenant. Its case counts.',
  ),
};

export const listTenants: AdminHandler = operation(
  facts,
  async ({ appUid, query }, { store }) => {
    const { prefix } = readFilters(parameters, query);
    const search = { appUid, prefix: prefix ?? '' };
    const found = await findTenants(store, search, limits.tenantsFoundMax);
    return { status: 200, body: found.map((externalTenantId) => ({ externalTenantId })) };
  },
  parameters,
);
