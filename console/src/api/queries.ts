import { CrossSiteRequestError, HeraldProblem, NotSignedInError } from '@agent-herald/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionQuery } from './session.ts';

const freshForMs = 5_000;

function forgetEndedSession(error: unknown): void {
  if (error instanceof NotSignedInError) queries.setQueryData(sessionQuery.queryKey, null);
  // Another tab has signed in again, so this tab has the token of the previous session.
  if (error instanceof CrossSiteRequestError)
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

/** The cache of responses. An ended session leads to the sign-in. */
export const queries = new QueryClient({
  defaultOptions: {
    // The client already retries where that is safe.
    queries: { staleTime: freshForMs, retry: false },
    // Input and response may contain a secret, so neither outlives the page.
    mutations: { retry: false, gcTime: 0 },
  },
  queryCache: new QueryCache({ onError: forgetEndedSession }),
  mutationCache: new MutationCache({ onError: forgetEndedSession }),
});

/** Returns the error of each field of a body, by the name of the field. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof HeraldProblem)) return {};
  const pairs = (error.errors ?? []).map(({ pointer, detail }) => {
    const [, name = ''] = /^#\/([^/]+)/.exec(pointer) ?? [];
    return [name, detail] as const;
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}
