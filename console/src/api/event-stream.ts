import { useEffect, useEffectEvent, useState } from 'react';
import { useApp } from './app.tsx';
import type { AppCalls } from './client.ts';

export type StreamQuery = NonNullable<Parameters<AppCalls['events']['stream']>[0]>;

export type Connection = 'off' | 'connecting' | 'open' | 'cut' | 'ended';

/** Calls back for each new event while the page is open. Null opens no stream. */
export function useEventStream(query: StreamQuery | null, onEvent: () => void): Connection {
  const { calls } = useApp();
  const [connection, setConnection] = useState<Connection>('connecting');
  const take = useEffectEvent(() => onEvent());
  const filters = JSON.stringify(query);
  useEffect(() => {
    if (filters === 'null') {
      setConnection('off');
      return undefined;
    }
    const ending = new AbortController();
    setConnection('connecting');
    const follow = async (): Promise<void> => {
      const stream = calls.events.stream(JSON.parse(filters) as StreamQuery, {
        signal: ending.signal,
        // So that the page also works if the service is unavailable when it opens.
        retries: Number.POSITIVE_INFINITY,
        onOpen: () => setConnection('open'),
        onCut: () => setConnection('cut'),
      });
      for await (const _event of stream) take();
    };
    // The list shows the reason, because its calls fail, too.
    follow().catch(() => {
      if (!ending.signal.aborted) setConnection('ended');
    });
    return () => ending.abort();
  }, [calls, filters]);
  return connection;
}
