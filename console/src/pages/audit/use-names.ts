import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks, webhookLabel } from '../../api/webhooks.ts';
import { sessionQuery } from '../../api/session.ts';
import type { Names } from './audit-rows.ts';

const freshForMs = 60_000;
const pageRows = 200;

/** Returns the names of members, API keys, webhooks and the application, by uid. */
export function useNames(): Names {
  const { app, calls, key } = useApp();
  const webhooks = useKnownWebhooks();
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
  const names = new Map([...data, [app.uid, app.name]]);
  for (const webhook of webhooks) names.set(webhook.uid, webhookLabel(webhook));
  if (session?.admin !== undefined) names.set(session.admin.uid, session.admin.email);
  return names;
}
