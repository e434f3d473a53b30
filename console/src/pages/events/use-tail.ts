import type { Event } from '@agent-herald/client';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { type StreamQuery, useEventStream } from '../../api/event-stream.ts';
import { emptyTail, pause, proceed, type Tail, tailRowsMax, take } from './tail.ts';

// A burst of events updates the page once instead of once per event.
const gatherMs = 200;

type Change = 'pause' | 'proceed' | 'clear' | readonly Event[];

function reduce(tail: Tail<Event>, change: Change): Tail<Event> {
  if (change === 'pause') return pause(tail);
  if (change === 'proceed') return proceed(tail);
  if (change === 'clear') return { ...emptyTail, isPaused: tail.isPaused };
  return take(tail, change);
}

/** The latest events of the live stream. */
export function useTail(query: StreamQuery) {
  const [tail, change] = useReducer(reduce, emptyTail);
  const came = useRef<Event[]>([]);
  const flush = useCallback((): void => {
    if (came.current.length > 0) change(came.current);
    came.current = [];
  }, []);
  const connection = useEventStream(query, {
    onStart: () => {
      came.current = [];
      change('clear');
    },
    onEvent: (event) => {
      came.current.push(event);
      // Browsers slow down the timers of hidden pages.
      if (came.current.length >= tailRowsMax) flush();
    },
  });
  useEffect(() => {
    const timer = setInterval(flush, gatherMs);
    return () => clearInterval(timer);
  }, [flush]);
  return { tail, connection, change };
}
