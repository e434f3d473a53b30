import { CrossSiteRequestError, HeraldProblem, NotSignedInError } from '@agent-herald/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionQuery } from './session.ts';

const freshForMs = 5_000;

function forgetEndedSession(error: unknown): void {
  if (error instanceof NotSignedInError) queries.setQueryData(sessionQuery.queryKey, null);
  // Another tab signed in anew: the token of this one is that of the former session.
  if (error instanceof CrossSiteRequestError)
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

/** The answers that the pages have; an ended session leads to the sign-in. */
export const queries = new QueryClient({
  defaultOptions: {
    // The client itself repeats what may be repeated.
    queries: { staleTime: freshForMs, retry: false },
    // What was sent and answered may be a secret: nothing of it outlives the page.
    mutations: { retry: false, gcTime: 0 },
  },
  queryCache: new QueryCache({ onError: forgetEndedSession }),
  mutationCache: new MutationCache({ onError: forgetEndedSession }),
});

/** Returns what is wrong with each field of a body, by the field's name. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof HeraldProblem)) return {};
  const pairs = (error.errors ?? []).map(({ pointer, detail }) => {
    const [, name = ''] = /^#\/([^/]+)/.exec(pointer) ?? [];
    return [name, detail] as const;
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}
