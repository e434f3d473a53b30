import type { CallOptions } from '@agent-herald/client';
import { Box, Button, Center, Loader, Text } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Fault } from './fault.tsx';
import { Placeholder } from './loaded.tsx';

interface Page<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

interface Paging {
  limit: number;
  cursor?: string;
}

export type Listing<Row> = UseInfiniteQueryResult<InfiniteData<Page<Row>>>;

const rowsOfPage = 50;
/** A browser can hold this many with ease. */
const pagesMax = 40;

export interface ListOptions<Row> {
  key: readonly unknown[];
  /** Requests a page of the list. */
  list: (paging: Paging, options: CallOptions) => { page: () => Promise<Page<Row>> };
  /** Refreshes after this time, which can depend on the rows, while the page is visible. */
  refreshMs?: number | ((rows: readonly Row[]) => number);
  isPaused?: boolean;
}

/** A list of the service, loaded page by page. */
export function useList<Row>(options: ListOptions<Row>): Listing<Row> {
  const { key, list, refreshMs = false, isPaused = false } = options;
  return useInfiniteQuery({
    queryKey: key,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const paging = { limit: rowsOfPage, ...(pageParam === '' ? {} : { cursor: pageParam }) };
      return list(paging, { signal }).page();
    },
    getNextPageParam: ({ nextCursor }, pages) => (pages.length < pagesMax ? nextCursor : null),
    // Only if nobody has scrolled, because each loaded page would be requested again.
    refetchInterval: ({ state }) => {
      if (isPaused || isScrolled(state.data)) return false;
      return typeof refreshMs === 'function'
        ? refreshMs(state.data?.pages[0]?.data ?? [])
        : refreshMs;
    },
    refetchOnWindowFocus: ({ state }) => !isPaused && !isScrolled(state.data),
    placeholderData: (before) => before,
  });
}

// Rows that turn out higher than estimated move the page a little.
const topPx = 50;

export function isAtTop(): boolean {
  return window.scrollY < topPx;
}

/** Forgets all pages of a list but the first, and a page that is being loaded. */
export function keepFirstPage(client: QueryClient, key: readonly unknown[]): void {
  void client.cancelQueries({ queryKey: key, exact: true });
  client.setQueryData<InfiniteData<unknown>>(key, (data) =>
    data === undefined
      ? data
      : { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
  );
}

function isScrolled(data: { pages: readonly unknown[] } | undefined): boolean {
  return (data?.pages.length ?? 0) > 1;
}

interface ListProps<Row> {
  of: Listing<Row>;
  /** Shown if there are no rows. */
  empty: ReactNode;
  /** True if filters may be hiding rows. */
  hasFilters?: boolean;
  /** True if the list stays on its first page until somebody scrolls to the end. */
  isLive?: boolean;
  children: (rows: readonly Row[]) => ReactNode;
}

/** Shows the rows of a list, and loads more when its end scrolls into view. */
export function List<Row>(props: ListProps<Row>) {
  const { of, empty, hasFilters = false, isLive = false, children } = props;
  const { data, error, refetch, isPlaceholderData, isFetchNextPageError } = of;
  if (data === undefined) {
    return error === null ? <Placeholder /> : <Fault error={error} retry={() => void refetch()} />;
  }
  const rows = data.pages.flatMap((page) => page.data);
  const retry = (): void => void (isFetchNextPageError ? of.fetchNextPage() : refetch());
  const fault = error !== null && (
    <Box my="md">
      <Fault error={error} retry={retry} />
    </Box>
  );
  const isCut = !of.hasNextPage && data.pages.at(-1)?.nextCursor !== null;
  return (
    <Box aria-busy={isPlaceholderData} opacity={isPlaceholderData ? 0.6 : 1}>
      {!isFetchNextPageError && fault}
      {rows.length === 0 ? empty : children(rows)}
      {isFetchNextPageError && fault}
      {of.hasNextPage && !isFetchNextPageError && <More of={of} isLive={isLive} />}
      {isCut && (
        <Text c="dimmed" ta="center" py="md">
          {`Showing the first ${rows.length.toLocaleString('en')}.`}
          {hasFilters && ' Narrow the filters to see more.'}
        </Text>
      )}
    </Box>
  );
}

function More<Row>({ of, isLive }: { of: Listing<Row>; isLive: boolean }) {
  const { ref, entry } = useIntersection({ rootMargin: '600px' });
  const isInView = entry?.isIntersecting === true && !(isLive && isAtTop());
  const { fetchNextPage, isFetchingNextPage } = of;
  useEffect(() => {
    if (isInView && !isFetchingNextPage) void fetchNextPage();
  }, [isInView, isFetchingNextPage, fetchNextPage]);
  return (
    <Center ref={ref} py="md">
      {isFetchingNextPage ? (
        <Loader size="sm" role="status" aria-label="Loading more" />
      ) : (
        <Button variant="default" onClick={() => void fetchNextPage()}>
          Load more
        </Button>
      )}
    </Center>
  );
}
