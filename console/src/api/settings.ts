import { queryOptions, useQuery } from '@tanstack/react-query';
import { type CurrentApp, useApp } from './app.tsx';

/** What operators may know of the installation. */
export function settingsQuery({ calls, key }: Pick<CurrentApp, 'calls' | 'key'>) {
  return queryOptions({
    queryKey: [...key, 'settings'],
    queryFn: ({ signal }) => calls.settings.get({ signal }),
    staleTime: Infinity,
  });
}

/** Returns the settings of the installation; null until they are known. */
export function useSettings() {
  return useQuery(settingsQuery(useApp())).data ?? null;
}
