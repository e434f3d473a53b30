import { queryOptions, useQuery } from '@tanstack/react-query';
import { type CurrentApp, useApp } from './app.tsx';

/** The settings of the installation that operators may see. */
export function settingsQuery({ calls, key }: Pick<CurrentApp, 'calls' | 'key'>) {
  return queryOptions({
    queryKey: [...key, 'settings'],
    queryFn: ({ signal }) => calls.settings.get({ signal }),
    staleTime: Infinity,
  });
}

/** Returns the settings of the installation, or null until they are loaded. */
export function useSettings() {
  return useQuery(settingsQuery(useApp())).data ?? null;
}
