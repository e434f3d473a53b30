import type { Delivery } from '@agent-herald/client';
import { focusManager, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type Connection, type StreamQuery, useEventStream } from '../../api/event-stream.ts';
import { isAtTop, keepFirstPage, type Listing } from '../../parts/list.tsx';
import { createRefresher } from '../../parts/refresher.ts';

const refreshEveryMs = 1_000;

interface FollowingOptions {
  list: Listing<Delivery>;
  key: readonly unknown[];
  /** The filters of the events to follow; null for none. */
  query: StreamQuery | null;
  isPaused: boolean;
}

interface Following {
  connection: Connection;
  /** The events since the page was opened. Counted at most once a second, like `missedCount`. */
  eventCount: number;
  /** The events since the list was last refreshed. */
  missedCount: number;
  showNewest: () => void;
}

/** Refreshes the first page of a list of deliveries when events arrive. */
export function useFollowing({ list, key, query, isPaused }: FollowingOptions): Following {
  const client = useQueryClient();
  const arrived = useRef(0);
  const refresher = useRef<ReturnType<typeof createRefresher>>(null);
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
  const connection = useEventStream(query, {
    onEvent: () => {
      arrived.current += 1;
      refresher.current?.ask();
    },
  });
  const showNewest = (): void => keepFirstPage(client, key);
  const hasOlder = (list.data?.pages.length ?? 0) > 1;
  useReturnToTop(hasOlder, showNewest);
  return { connection, eventCount, missedCount: eventCount - shownCount, showNewest };
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
