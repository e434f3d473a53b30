import { Box, Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fault } from './fault.tsx';

interface LoadedProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  children: (data: NonNullable<Data>) => ReactNode;
}

/** Shows the data of a query, or a placeholder until it is loaded. An error is shown above known data. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  const isKnown = data !== undefined && data !== null;
  if (!isKnown && error === null) return <Placeholder />;
  return (
    <>
      {error !== null && (
        <Box mb={isKnown ? 'md' : 0}>
          <Fault error={error} retry={() => void refetch()} />
        </Box>
      )}
      {isKnown && children(data)}
    </>
  );
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
