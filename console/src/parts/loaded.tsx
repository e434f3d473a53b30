import { Box, Skeleton, Stack, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useOutage } from '../api/outage.ts';
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

const lateAfterMs = 5_000;

/** What is shown until something is loaded; after 5 s, why it takes so long. */
export function Placeholder() {
  const [isLate, setLate] = useState(false);
  useTimeout(() => setLate(true), lateAfterMs, { autoInvoke: true });
  return isLate ? <Late /> : <Skeletons />;
}

function Late() {
  const outage = useOutage();
  return (
    <Text role="status" c="dimmed">
      {outage === null
        ? 'The service has not answered for 5 seconds. This page keeps waiting.'
        : `${outage.title}. This page continues when it is back.`}
    </Text>
  );
}

function Skeletons() {
  return (
    <Stack aria-label="Loading" aria-busy="true" role="status">
      <Skeleton height={28} width="40%" />
      <Skeleton height={120} />
      <Skeleton height={120} />
    </Stack>
  );
}
