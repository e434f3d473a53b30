import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';

/** The events that webhooks can get. They change only with the release of the service. */
export function useEventTypes() {
  const { calls, key } = useApp();
  return useQuery({
    queryKey: [...key, 'event-types'],
    queryFn: async ({ signal }) => {
      const { data } = await calls.eventTypes.list({ signal }).page();
      return data;
    },
    staleTime: Infinity,
  });
}
