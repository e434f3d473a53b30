import { NotSignedInError } from '@agent-herald/client';
import { queryOptions } from '@tanstack/react-query';
import { admin, keepCsrfToken } from './client.ts';

export type Session = Awaited<ReturnType<typeof admin.session.get>>;

/** Who is signed in; null for nobody. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await admin.session.get({ signal });
      keepCsrfToken(session.csrfToken);
      return session;
    } catch (error) {
      if (error instanceof NotSignedInError) return null;
      throw error;
    }
  },
  staleTime: Infinity,
});
