import type { Event } from '@agent-herald/client';
import { useEffect, useEffectEvent, useState } from 'react';
import { useApp } from './app.tsx';
import type { AppCalls } from './client.ts';

export type StreamQuery = NonNullable<Parameters<AppCalls['events']['stream']>[0]>;

export type Connection =
  | { state: 'off' }
  | { state: 'connecting' }
  | { state: 'open' }
  | { state: 'cut'; why: string }
  | { state: 'ended'; error: unknown };

interface StreamHandlers {
  /** Called for a new stream, also of other filters. */
  onStart?: () => void;
  /** Called for each event, without its payload. */
  onEvent: (event: Event) => void;
}

/** Follows the live stream of events while the page is open. Null opens none. */
export function useEventStream(query: StreamQuery | null, handlers: StreamHandlers): Connection {
  const { calls } = useApp();
  const [connection, setConnection] = useState<Connection>({ state: 'connecting' });
  const start = useEffectEvent(() => handlers.onStart?.());
  const take = useEffectEvent((event: Event) => handlers.onEvent(event));
  const filters = JSON.stringify(query);
  useEffect(() => {
    if (filters === 'null') {
      setConnection({ state: 'off' });
      return undefined;
    }
    const ending = new AbortController();
    setConnection({ state: 'connecting' });
    start();
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
        take(row);
      }
    };
    follow().catch((error: unknown) => {
      if (!ending.signal.aborted) setConnection({ state: 'ended', error });
    });
    return () => ending.abort();
  }, [calls, filters]);
  return connection;
}
