import type { Event } from '@agent-herald/client';
import { useEffect, useReducer, useState } from 'react';
import { useApp } from '../../api/app.tsx';
import type { AppCalls } from '../../api/client.ts';
import { emptyTail, pause, proceed, type Tail, tailRowsMax, take } from './tail.ts';

export type StreamQuery = NonNullable<Parameters<AppCalls['events']['stream']>[0]>;

export type Connection =
  | { state: 'connecting' }
  | { state: 'open' }
  | { state: 'cut'; why: string }
  | { state: 'ended'; error: unknown };

// A burst of events updates the page once instead of once per event.
const gatherMs = 200;

type Change = 'pause' | 'proceed' | 'clear' | readonly Event[];

function reduce(tail: Tail<Event>, change: Change): Tail<Event> {
  if (change === 'pause') return pause(tail);
  if (change === 'proceed') return proceed(tail);
  if (change === 'clear') return { ...emptyTail, isPaused: tail.isPaused };
  return take(tail, change);
}

/** Follows the live stream of events while the page is open. */
export function useTail(query: StreamQuery) {
  const { calls } = useApp();
  const [tail, change] = useReducer(reduce, emptyTail);
  const [connection, setConnection] = useState<Connection>({ state: 'connecting' });
  const filters = JSON.stringify(query);
  useEffect(() => {
    const ending = new AbortController();
    let came: Event[] = [];
    change('clear');
    setConnection({ state: 'connecting' });
    const flush = (): void => {
      if (came.length > 0) change(came);
      came = [];
    };
    const timer = setInterval(flush, gatherMs);
    const follow = async (): Promise<void> => {
      const stream = calls.events.stream(JSON.parse(filters) as StreamQuery, {
        signal: ending.signal,
        // So that the page also works if the service is unavailable when it opens.
        retries: Number.POSITIVE_INFINITY,
        onOpen: () => setConnection({ state: 'open' }),
        onCut: ({ detail }) => setConnection({ state: 'cut', why: detail }),
      });
      for await (const { event } of stream) {
        // Drops the payload, which can be large and is not shown.
        const { payload: _payload, ...row } = event;
        came.push(row);
        // Browsers slow down the timers of hidden pages.
        if (came.length >= tailRowsMax) flush();
      }
    };
    follow().catch((error: unknown) => {
      if (!ending.signal.aborted) setConnection({ state: 'ended', error });
    });
    return () => {
      clearInterval(timer);
      ending.abort();
    };
  }, [calls, filters]);
  return { tail, connection, change };
}
