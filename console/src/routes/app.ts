// The pages of one application.
import { createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router';
import { textsOf } from '../parts/search-params.ts';
import { AppPages } from '../shell/app-pages.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { signedIn } from './console.ts';

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
  component: lazyRouteComponent(() => import('../pages/overview/overview.tsx'), 'Overview'),
});

const keys = createRoute({
  getParentRoute: () => app,
  path: '/keys',
  validateSearch: textsOf(['state', 'keyId']),
  component: lazyRouteComponent(() => import('../pages/keys/key-list.tsx'), 'KeyList'),
});

const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/webhooks',
  validateSearch: textsOf(['state', 'text']),
  component: lazyRouteComponent(() => import('../pages/webhooks/webhook-list.tsx'), 'WebhookList'),
});

const newWebhook = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/new',
  validateSearch: textsOf(['kind']),
  component: lazyRouteComponent(() => import('../pages/webhooks/new-webhook.tsx'), 'NewWebhook'),
});

const webhook = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$webhookUid',
  validateSearch: textsOf(['tab']),
  component: lazyRouteComponent(() => import('../pages/webhooks/webhook-page.tsx'), 'WebhookPage'),
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
    () => import('../pages/deliveries/delivery-list.tsx'),
    'DeliveryList',
  ),
});

const delivery = createRoute({
  getParentRoute: () => app,
  path: '/deliveries/$eventId/$webhookUid',
  component: lazyRouteComponent(
    () => import('../pages/deliveries/delivery-page.tsx'),
    'DeliveryPage',
  ),
});

const events = createRoute({
  getParentRoute: () => app,
  path: '/events',
  validateSearch: textsOf(['event', 'entity', 'resourceUid', 'externalTenantId', 'since', 'until']),
  component: lazyRouteComponent(() => import('../pages/events/event-list.tsx'), 'EventList'),
});

const liveEvents = createRoute({
  getParentRoute: () => app,
  path: '/events/live',
  validateSearch: textsOf(['event', 'entity', 'resourceUid', 'externalTenantId']),
  component: lazyRouteComponent(() => import('../pages/events/live-events.tsx'), 'LiveEvents'),
});

const event = createRoute({
  getParentRoute: () => app,
  path: '/events/$eventId',
  component: lazyRouteComponent(() => import('../pages/events/event-page.tsx'), 'EventPage'),
});

const replays = createRoute({
  getParentRoute: () => app,
  path: '/replays',
  validateSearch: textsOf(['webhookUid']),
  component: lazyRouteComponent(() => import('../pages/replays/replay-list.tsx'), 'ReplayList'),
});

const newReplay = createRoute({
  getParentRoute: () => app,
  path: '/replays/new',
  validateSearch: textsOf(['webhookUid', 'since', 'until', 'missed']),
  component: lazyRouteComponent(() => import('../pages/replays/new-replay.tsx'), 'NewReplay'),
});

const replay = createRoute({
  getParentRoute: () => app,
  path: '/replays/$replayUid',
  component: lazyRouteComponent(() => import('../pages/replays/replay-page.tsx'), 'ReplayPage'),
});

const sync = createRoute({
  getParentRoute: () => app,
  path: '/syncs/$syncUid',
  component: lazyRouteComponent(() => import('../pages/syncs/sync-page.tsx'), 'SyncPage'),
});

const erasures = createRoute({
  getParentRoute: () => app,
  path: '/erasures',
  component: lazyRouteComponent(() => import('../pages/erasures/erasure-list.tsx'), 'ErasureList'),
});

const users = createRoute({
  getParentRoute: () => app,
  path: '/users',
  validateSearch: textsOf(['externalId', 'email', 'name']),
  component: lazyRouteComponent(() => import('../pages/users/user-list.tsx'), 'UserList'),
});

const user = createRoute({
  getParentRoute: () => app,
  path: '/users/$userUid',
  component: lazyRouteComponent(() => import('../pages/users/user-page.tsx'), 'UserPage'),
});

const accounts = createRoute({
  getParentRoute: () => app,
  path: '/accounts',
  validateSearch: textsOf(['name']),
  component: lazyRouteComponent(() => import('../pages/accounts/account-list.tsx'), 'AccountList'),
});

const account = createRoute({
  getParentRoute: () => app,
  path: '/accounts/$accountUid',
  component: lazyRouteComponent(() => import('../pages/accounts/account-page.tsx'), 'AccountPage'),
});

const members = createRoute({
  getParentRoute: () => app,
  path: '/members',
  component: lazyRouteComponent(() => import('../pages/members/member-list.tsx'), 'MemberList'),
});

const auditLog = createRoute({
  getParentRoute: () => app,
  path: '/audit-log',
  validateSearch: textsOf(['action', 'actorUid', 'targetUid', 'since', 'until']),
  component: lazyRouteComponent(() => import('../pages/audit/audit-log.tsx'), 'AuditLog'),
});

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings/settings.tsx'), 'Settings'),
});

export const pagesOfApp = app.addChildren([
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
  sync,
  erasures,
  users,
  user,
  accounts,
  account,
  members,
  auditLog,
  settings,
]);
