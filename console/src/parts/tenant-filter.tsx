import { Autocomplete } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../api/app.tsx';
import { asItIs, useTyped } from './filters.tsx';
import { pastedValue } from './pasted-text.ts';

const name = 'externalTenantId';

/** The tenant of a list, which must match exactly. Offers the tenants that begin with the typed text. */
export function TenantFilter() {
  const { calls, key } = useApp();
  const { typed, inAddress, setTyped, send } = useTyped(name, asItIs);
  const { data: tenants = [] } = useQuery({
    queryKey: [...key, 'tenants', inAddress],
    queryFn: async ({ signal }) => {
      const { data } = await calls.tenants.list({ prefix: inAddress }, { signal }).page();
      return data.map(({ externalTenantId }) => externalTenantId);
    },
    enabled: inAddress !== '',
  });
  return (
    <Autocomplete
      label="Tenant"
      placeholder="any"
      data={tenants.filter((tenant) => tenant !== typed)}
      filter={({ options }) => options}
      value={typed}
      onChange={(value) => {
        setTyped(value);
        send(pastedValue(value));
      }}
      w={{ base: '100%', xs: 160 }}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
