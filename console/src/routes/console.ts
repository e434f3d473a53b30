// The pages of the console itself: signing in, the list of applications, the account of the person.
import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { appsQuery } from '../api/app.tsx';
import { queries } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { textsOf } from '../parts/search-params.ts';
import { takeRequestedPath } from '../pages/session/requested-path.ts';
import { NotFound } from '../shell/not-found.tsx';

export const basepath = new URL(document.baseURI).pathname.replace(/\/$/, '');

export const root = createRootRoute({ notFoundComponent: NotFound });

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: textsOf(['to', 'refused', 'ended']),
  component: lazyRouteComponent(() => import('../pages/session/sign-in.tsx'), 'SignIn'),
});

export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = await queries.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: { to: location.href } });
    await queries.ensureQueryData(appsQuery);
  },
  component: lazyRouteComponent(() => import('../shell/shell.tsx'), 'Shell'),
  notFoundComponent: NotFound,
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ preload }) => {
    const requested = preload ? null : takeRequestedPath();
    if (requested !== null) throw redirect({ href: basepath + requested });
    const [app, ...others] = await queries.ensureQueryData(appsQuery);
    if (app === undefined || others.length > 0) throw redirect({ to: '/apps' });
    throw redirect({ to: '/apps/$appUid', params: { appUid: app.uid } });
  },
});

const apps = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps',
  component: lazyRouteComponent(() => import('../pages/apps/app-list.tsx'), 'AppList'),
});

const installationLog = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit-log',
  validateSearch: textsOf(['action', 'actorUid', 'targetUid', 'since', 'until']),
  component: lazyRouteComponent(
    () => import('../pages/audit/installation-log.tsx'),
    'InstallationLog',
  ),
});

const me = createRoute({
  getParentRoute: () => signedIn,
  path: '/me',
  component: lazyRouteComponent(() => import('../pages/session/my-account.tsx'), 'MyAccount'),
});

/** What is reached without an application. */
export const pagesOfConsole = [home, apps, installationLog, me] as const;
