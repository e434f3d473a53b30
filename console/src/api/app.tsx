import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { admin, type AppCalls, callsOf } from './client.ts';

export const appsQuery = queryOptions({
  queryKey: ['apps'],
  queryFn: async ({ signal }) => {
    const apps = [];
    for await (const app of admin.apps.list({}, { signal })) apps.push(app);
    return apps;
  },
});

export type App = Awaited<ReturnType<NonNullable<typeof appsQuery.queryFn>>>[number];

export interface CurrentApp {
  app: App;
  calls: AppCalls;
  /** True for admins and owners. A viewer can only read. */
  mayChange: boolean;
  /** True for owners, who manage members and the application itself. */
  mayOwn: boolean;
  /** The prefix of the keys of all queries about this application. */
  key: readonly [string, string];
}

/** Returns the application in the path, with the viewer's rights in it. */
export function useApp(): CurrentApp {
  const { appUid } = useParams({ from: '/signed-in/apps/$appUid' });
  const { data: apps } = useSuspenseQuery(appsQuery);
  const app = apps.find(({ uid }) => uid === appUid);
  if (app === undefined)
    throw new Error(`the application ${appUid} does not exist, or you have no access to it`);
  return {
    app,
    calls: callsOf(appUid),
    mayChange: app.role !== 'viewer',
    mayOwn: app.role === 'owner',
    key: ['app', appUid],
  };
}
