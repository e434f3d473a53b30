import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { sessionQuery } from '../../api/session.ts';
import type { Names } from './audit-rows.ts';

const freshForMs = 60_000;
const pageRows = 200;

/** Returns the names of the application's actors: members by email, API keys by name. */
export function useNames(): Names {
  const { calls, key } = useApp();
  const { data: session } = useQuery(sessionQuery);
  const { data = [] } = useQuery({
    queryKey: [...key, 'names'],
    staleTime: freshForMs,
    queryFn: async ({ signal }) => {
      const names: [string, string][] = [];
      for await (const { adminUid, email } of calls.members.list({ limit: pageRows }, { signal }))
        names.push([adminUid, email ?? adminUid]);
      for await (const { uid, name } of calls.apiKeys.list({ limit: pageRows }, { signal }))
        names.push([uid, `key ${name}`]);
      return names;
    },
  });
  const own = session?.admin;
  return new Map(own === undefined ? data : [...data, [own.uid, own.email]]);
}
