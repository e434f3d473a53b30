import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';

/** The events that webhooks can get; they change with the service only. */
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
