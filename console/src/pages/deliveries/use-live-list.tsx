import { Button } from '@mantine/core';
import { focusManager, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { type StreamQuery, useEventStream } from '../../api/event-stream.ts';
import {
  isAtTop,
  keepFirstPage,
  type Listing,
  type ListOptions,
  useList,
} from '../../parts/list.tsx';
import { createRefresher } from '../../parts/refresher.ts';
import { pauseReasonOf } from './delivery-refresh.ts';
import { LiveState } from './live-state.tsx';

const refreshEveryMs = 1_000;

interface LiveListOptions<Row> extends Omit<ListOptions<Row>, 'isPaused'> {
  /** The rows in a sentence. */
  about: string;
  /** The filters of the events to follow; null for none. */
  query: StreamQuery | null;
  /** The list also waits while rows are selected. */
  selectedCount?: number;
  onResume?: () => void;
}

interface LiveList<Row> {
  list: Listing<Row>;
  /** Whether the list follows, in words. */
  state: ReactNode;
  /** Pauses and resumes it. */
  button: ReactNode;
}

/** A list whose first page is refreshed when events arrive. */
export function useLiveList<Row>(options: LiveListOptions<Row>): LiveList<Row> {
  const { about, key, query, selectedCount = 0, onResume } = options;
  const client = useQueryClient();
  const [isPausedByPerson, setPaused] = useState(false);
  const list = useList({ ...options, isPaused: isPausedByPerson || selectedCount > 0 });
  const pageCount = list.data?.pages.length ?? 0;
  const pauseReason = pauseReasonOf({ isPausedByPerson, selectedCount, pageCount });
  const isPaused = pauseReason !== null;
  const arrived = useRef(0);
  const refresher = useRef<ReturnType<typeof createRefresher>>(null);
  // Since the page was opened. Counted at most once a second, like the events that the list shows.
  const [eventCount, setEventCount] = useState(0);
  const [shownCount, setShownCount] = useState(0);
  const refresh = useEffectEvent(async (): Promise<void> => {
    const count = arrived.current;
    setEventCount(count);
    // Nobody looks; the list refreshes when somebody returns.
    if (isPaused || !focusManager.isFocused()) return;
    setShownCount(count);
    // Without cancelling, so that the list of a slow service arrives, too.
    await list.refetch({ cancelRefetch: false });
  });
  useEffect(() => {
    const current = createRefresher(() => refresh(), refreshEveryMs);
    refresher.current = current;
    return () => current.stop();
  }, []);
  useEffect(() => {
    if (!isPaused) refresher.current?.ask();
  }, [isPaused]);
  const connection = useEventStream(query, () => {
    arrived.current += 1;
    refresher.current?.ask();
  });
  const showNewest = (): void => keepFirstPage(client, key);
  useReturnToTop(pageCount > 1, showNewest);
  const resume = (): void => {
    setPaused(false);
    onResume?.();
    showNewest();
    window.scrollTo(0, 0);
  };
  return {
    list,
    state: <LiveState {...{ about, connection, pauseReason, eventCount }} />,
    button: (
      <Button variant="default" onClick={isPaused ? resume : () => setPaused(true)}>
        {isPaused ? resumeLabel(eventCount - shownCount) : 'Pause'}
      </Button>
    ),
  };
}

function resumeLabel(missedCount: number): string {
  if (missedCount === 0) return 'Resume';
  return `Resume (${missedCount} new ${missedCount === 1 ? 'event' : 'events'})`;
}

/** Calls back when somebody scrolls back to the top. */
function useReturnToTop(isScrolled: boolean, onReturn: () => void): void {
  const check = useEffectEvent(() => {
    if (isAtTop()) onReturn();
  });
  useEffect(() => {
    if (!isScrolled) return undefined;
    const listener = (): void => check();
    window.addEventListener('scroll', listener, { passive: true });
    return () => window.removeEventListener('scroll', listener);
  }, [isScrolled]);
}
