import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';

const refreshMs = 10_000;

/** All webhooks of the application: an answer has all of them. */
export function useWebhooks() {
  const { calls, key } = useApp();
  return useQuery({
    queryKey: [...key, 'webhooks', 'all'],
    queryFn: async ({ signal }) => {
      const { data } = await calls.webhooks.list({ signal }).page();
      return data;
    },
    refetchInterval: refreshMs,
  });
}
