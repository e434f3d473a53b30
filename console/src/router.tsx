// The table of pages: path, filters in the address, component. Each page is loaded when it is opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { appsQuery } from './api/app.tsx';
import { queries } from './api/queries.ts';
import { sessionQuery } from './api/session.ts';
import { Fault } from './parts/fault.tsx';
import { Placeholder } from './parts/loaded.tsx';
import { textsOf } from './parts/search-params.ts';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: textsOf(['to', 'refused']),
  component: lazyRouteComponent(() => import('./pages/session/sign-in.tsx'), 'SignIn'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = await queries.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: { to: location.href } });
    await queries.ensureQueryData(appsQuery);
  },
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async () => {
    const [app, ...others] = await queries.ensureQueryData(appsQuery);
    if (app === undefined || others.length > 0) throw redirect({ to: '/apps' });
    throw redirect({ to: '/apps/$appUid', params: { appUid: app.uid } });
  },
});

const apps = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps',
  component: lazyRouteComponent(() => import('./pages/apps/app-list.tsx'), 'AppList'),
});

const app = createRoute({ getParentRoute: () => signedIn, path: '/apps/$appUid' });

const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/webhooks',
  validateSearch: textsOf(['state']),
  component: lazyRouteComponent(() => import('./pages/webhooks/webhook-list.tsx'), 'WebhookList'),
});

const overview = createRoute({
  getParentRoute: () => app,
  path: '/',
  validateSearch: textsOf(['range']),
  component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'Overview'),
});

const tree = root.addChildren([
  signIn,
  signedIn.addChildren([home, apps, app.addChildren([overview, webhooks])]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: new URL(document.baseURI).pathname.replace(/\/$/, ''),
  defaultPreload: 'intent',
  // The queries keep what is fresh.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: ({ error, reset }) => <Fault error={error} retry={reset} />,
  defaultPendingComponent: Placeholder,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const pairs = Object.entries(search).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
    return text.size === 0 ? '' : `?${text.toString()}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
