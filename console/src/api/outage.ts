import type { Readiness } from '@agent-herald/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { serviceUrl } from './client.ts';

const checkEveryMs = 1_000;
// The service itself waits 2 s for its servers.
const answerWithinMs = 3_000;

type Parts = Readiness['parts'];

/** What does not work, and what still does. */
export interface Outage {
  title: string;
  text: string;
}

/** Returns the outage that the parts of the readiness show; null if all is well. `parts` is null without a response. */
export function outageOf(parts: Parts | null): Outage | null {
  if (parts === null) {
    const text = 'This page shows what was loaded before, and continues when the service is back.';
    return { title: 'The service does not respond', text };
  }
  if (parts.mongodb !== 'ok') {
    const text =
      'Nothing can be read or changed until it is back. Events that were accepted are not lost: their deliveries continue then.';
    return { title: 'MongoDB is not available', text };
  }
  if (parts.temporal !== 'ok') {
    const text =
      'Changes are accepted and recorded. Retries, replays and resends wait until it is back, and nothing is lost.';
    return { title: 'Temporal is not available', text };
  }
  return null;
}

const outageQuery = queryOptions({
  queryKey: ['outage'],
  // A hidden tab does not ask.
  refetchInterval: checkEveryMs,
  queryFn: async ({ signal }) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
    try {
      const answer = await fetch(`${serviceUrl}readyz`, { signal: limit, cache: 'no-store' });
      const { parts } = (await answer.json()) as Partial<Readiness>;
      return outageOf(parts ?? null);
    } catch {
      // No response, or one of a proxy.
      signal.throwIfAborted();
      return outageOf(null);
    }
  },
});

/** Returns the outage of the service, seen at most 3 s after it begins. */
export function useOutage(): Outage | null {
  return useQuery(outageQuery).data ?? null;
}
