import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';

const refreshMs = 10_000;
/** While deliveries are held or released, their number is of interest. */
const refreshHeldMs = 2_000;

/** One webhook, refreshed regularly. */
export function useWebhook(webhookUid: string) {
  const { calls, key } = useApp();
  return useQuery({
    queryKey: [...key, 'webhooks', webhookUid],
    queryFn: ({ signal }) => calls.webhooks.get(webhookUid, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && (!data.active || data.heldCount > 0) ? refreshHeldMs : refreshMs,
  });
}
