import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fault } from './fault.tsx';

interface LoadedProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  children: (data: NonNullable<Data>) => ReactNode;
}

/** Shows what a query brought; until then a placeholder, and its error where it failed. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined && data !== null) return children(data);
  if (error !== null) return <Fault error={error} retry={() => void refetch()} />;
  return <Placeholder />;
}

export function Placeholder() {
  return (
    <Stack aria-label="Loading" aria-busy="true" role="status">
      <Skeleton height={28} width="40%" />
      <Skeleton height={120} />
      <Skeleton height={120} />
    </Stack>
  );
}
