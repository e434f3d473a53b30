// The table of pages: path, filters in the address, component. Each page is loaded when it is opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router';
import { appsQuery } from './api/app.tsx';
import { queries } from './api/queries.ts';
import { sessionQuery } from './api/session.ts';
import { Fault } from './parts/fault.tsx';
import { Placeholder } from './parts/loaded.tsx';
import { textsOf } from './parts/search-params.ts';
import { takeRequestedPath } from './pages/session/requested-path.ts';
import { AppPages } from './shell/app-pages.tsx';
import { NotFound } from './shell/not-found.tsx';

const basepath = new URL(document.baseURI).pathname.replace(/\/$/, '');

const root = createRootRoute({ notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: textsOf(['to', 'refused', 'ended']),
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
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
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
  component: lazyRouteComponent(() => import('./pages/apps/app-list.tsx'), 'AppList'),
});

const installationLog = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit-log',
  validateSearch: textsOf(['action', 'actorUid', 'targetUid', 'since', 'until']),
  component: lazyRouteComponent(
    () => import('./pages/audit/installation-log.tsx'),
    'InstallationLog',
  ),
});

const me = createRoute({
  getParentRoute: () => signedIn,
  path: '/me',
  component: lazyRouteComponent(() => import('./pages/session/my-account.tsx'), 'MyAccount'),
});

const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps/$appUid',
  component: AppPages,
  notFoundComponent: NotFound,
});

const overview = createRoute({
  getParentRoute: () => app,
  path: '/',
  validateSearch: textsOf(['range']),
  component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'Overview'),
});

const keys = createRoute({
  getParentRoute: () => app,
  path: '/keys',
  validateSearch: textsOf(['state']),
  component: lazyRouteComponent(() => import('./pages/keys/key-list.tsx'), 'KeyList'),
});

const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/webhooks',
  validateSearch: textsOf(['state']),
  component: lazyRouteComponent(() => import('./pages/webhooks/webhook-list.tsx'), 'WebhookList'),
});

const newWebhook = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/new',
  component: lazyRouteComponent(() => import('./pages/webhooks/new-webhook.tsx'), 'NewWebhook'),
});

const webhook = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$webhookUid',
  validateSearch: textsOf(['tab']),
  component: lazyRouteComponent(() => import('./pages/webhooks/webhook-page.tsx'), 'WebhookPage'),
});

/** The addresses that somebody would guess for the tabs of a webhook. */
const webhookTab = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$webhookUid/$tab',
  beforeLoad: ({ params: { tab, ...params } }) => {
    if (tab !== 'settings' && tab !== 'secret' && tab !== 'overview') throw notFound();
    const search = tab === 'overview' ? {} : { tab };
    throw redirect({ to: '/apps/$appUid/webhooks/$webhookUid', params, search });
  },
});

/** The deliveries of an event are on its page. */
const deliveriesOfEvent = createRoute({
  getParentRoute: () => app,
  path: '/deliveries/$eventId',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/apps/$appUid/events/$eventId', params });
  },
});

const deliveries = createRoute({
  getParentRoute: () => app,
  path: '/deliveries',
  validateSearch: textsOf([
    'state',
    'statusClass',
    'errorClass',
    'webhookUid',
    'event',
    'externalTenantId',
    'since',
    'until',
  ]),
  component: lazyRouteComponent(
    () => import('./pages/deliveries/delivery-list.tsx'),
    'DeliveryList',
  ),
});

const delivery = createRoute({
  getParentRoute: () => app,
  path: '/deliveries/$eventId/$webhookUid',
  component: lazyRouteComponent(
    () => import('./pages/deliveries/delivery-page.tsx'),
    'DeliveryPage',
  ),
});

const events = createRoute({
  getParentRoute: () => app,
  path: '/events',
  validateSearch: textsOf(['event', 'entity', 'resourceUid', 'externalTenantId', 'since', 'until']),
  component: lazyRouteComponent(() => import('./pages/events/event-list.tsx'), 'EventList'),
});

const liveEvents = createRoute({
  getParentRoute: () => app,
  path: '/events/live',
  validateSearch: textsOf(['event', 'entity', 'resourceUid', 'externalTenantId']),
  component: lazyRouteComponent(() => import('./pages/events/live-events.tsx'), 'LiveEvents'),
});

const event = createRoute({
  getParentRoute: () => app,
  path: '/events/$eventId',
  component: lazyRouteComponent(() => import('./pages/events/event-page.tsx'), 'EventPage'),
});

const replays = createRoute({
  getParentRoute: () => app,
  path: '/replays',
  validateSearch: textsOf(['webhookUid']),
  component: lazyRouteComponent(() => import('./pages/replays/replay-list.tsx'), 'ReplayList'),
});

const newReplay = createRoute({
  getParentRoute: () => app,
  path: '/replays/new',
  validateSearch: textsOf(['webhookUid', 'since', 'until']),
  component: lazyRouteComponent(() => import('./pages/replays/new-replay.tsx'), 'NewReplay'),
});

const replay = createRoute({
  getParentRoute: () => app,
  path: '/replays/$replayUid',
  component: lazyRouteComponent(() => import('./pages/replays/replay-page.tsx'), 'ReplayPage'),
});

const erasures = createRoute({
  getParentRoute: () => app,
  path: '/erasures',
  component: lazyRouteComponent(() => import('./pages/erasures/erasure-list.tsx'), 'ErasureList'),
});

const users = createRoute({
  getParentRoute: () => app,
  path: '/users',
  validateSearch: textsOf(['externalId', 'email']),
  component: lazyRouteComponent(() => import('./pages/users/user-list.tsx'), 'UserList'),
});

const user = createRoute({
  getParentRoute: () => app,
  path: '/users/$userUid',
  component: lazyRouteComponent(() => import('./pages/users/user-page.tsx'), 'UserPage'),
});

const accounts = createRoute({
  getParentRoute: () => app,
  path: '/accounts',
  component: lazyRouteComponent(() => import('./pages/accounts/account-list.tsx'), 'AccountList'),
});

const account = createRoute({
  getParentRoute: () => app,
  path: '/accounts/$accountUid',
  component: lazyRouteComponent(() => import('./pages/accounts/account-page.tsx'), 'AccountPage'),
});

const members = createRoute({
  getParentRoute: () => app,
  path: '/members',
  component: lazyRouteComponent(() => import('./pages/members/member-list.tsx'), 'MemberList'),
});

const auditLog = createRoute({
  getParentRoute: () => app,
  path: '/audit-log',
  validateSearch: textsOf(['action', 'actorUid', 'targetUid', 'since', 'until']),
  component: lazyRouteComponent(() => import('./pages/audit/audit-log.tsx'), 'AuditLog'),
});

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings.tsx'), 'Settings'),
});

const tree = root.addChildren([
  signIn,
  signedIn.addChildren([
    home,
    apps,
    installationLog,
    me,
    app.addChildren([
      overview,
      keys,
      webhooks,
      newWebhook,
      webhook,
      webhookTab,
      deliveries,
      deliveriesOfEvent,
      delivery,
      events,
      liveEvents,
      event,
      replays,
      newReplay,
      replay,
      erasures,
      users,
      user,
      accounts,
      account,
      members,
      auditLog,
      settings,
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath,
  defaultPreload: 'intent',
  // The query cache decides what is fresh.
  defaultPreloadStaleTime: 0,
  // Data that failed to load is loaded again: a reset alone would show its error again.
  defaultErrorComponent: ({ error, reset }) => (
    <Fault error={error} retry={() => void router.invalidate().finally(reset)} />
  ),
  // Text typed for one resource must not be kept for another.
  defaultRemountDeps: ({ params }) => params,
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
