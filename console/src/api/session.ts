import { NotSignedInError } from '@agent-herald/client';
import { queryOptions } from '@tanstack/react-query';
import { admin, keepCsrfToken } from './client.ts';

export type Session = Awaited<ReturnType<typeof admin.session.get>>;

const queryKey = ['session'] as const;

/** The signed-in admin, or null. When the admin changes, data that another admin saw is dropped. */
export const sessionQuery = queryOptions({
  queryKey,
  queryFn: async ({ signal, client }): Promise<Session | null> => {
    try {
      const session = await admin.session.get({ signal });
      keepCsrfToken(session.csrfToken);
      const before = client.getQueryData<Session | null>(queryKey);
      if (before && before.admin.uid !== session.admin.uid)
        void client.resetQueries({ predicate: (query) => query.queryKey[0] !== queryKey[0] });
      return session;
    } catch (error) {
      if (error instanceof NotSignedInError) return null;
      throw error;
    }
  },
});
