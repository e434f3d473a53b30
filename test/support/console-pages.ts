import type { LivelyApp } from './lively-app.ts';

export interface ConsolePage {
  /** The name of its picture. */
  name: string;
  /** The path below `/console`. */
  path: string;
  heading: string;
}

/** Returns every page of the console for an application. No two consecutive pages have the same heading. */
export function pagesOf(
  appUid: string,
  app: Omit<LivelyApp, typeof Symbol.asyncDispose>,
): ConsolePage[] {
  const below = `/apps/${appUid}`;
  const { webhookUid, failingWebhookUid, eventId, replayUid, syncUid, userUid, accountUid } = app;
  const delivery = `${below}/deliveries/${eventId}/${failingWebhookUid}`;
  const working = `${below}/webhooks/${webhookUid}`;
  return [
    { name: 'applications', path: '/apps', heading: 'Applications' },
    { name: 'installation-log', path: '/audit-log', heading: 'Audit log of all applications' },
    { name: 'my-account', path: '/me', heading: 'Your account' },
    { name: 'overview', path: below, heading: 'Overview' },
    { name: 'api-management', path: `${below}/keys`, heading: 'API Management' },
    { name: 'webhooks', path: `${below}/webhooks`, heading: 'Webhooks' },
    { name: 'webhook-new', path: `${below}/webhooks/new`, heading: 'Create a webhook' },
    { name: 'webhook', path: `${below}/webhooks/${failingWebhookUid}`, heading: 'Search index' },
    { name: 'webhook-settings', path: `${working}?tab=settings`, heading: 'Billing' },
    { name: 'deliveries', path: `${below}/deliveries`, heading: 'Deliveries' },
    { name: 'webhook-secret', path: `${working}?tab=secret`, heading: 'Billing' },
    { name: 'delivery', path: delivery, heading: 'Delivery of agent.created' },
    { name: 'events', path: `${below}/events`, heading: 'Events' },
    { name: 'event', path: `${below}/events/${eventId}`, heading: 'agent.created' },
    { name: 'events-live', path: `${below}/events/live`, heading: 'Live events' },
    { name: 'replays', path: `${below}/replays`, heading: 'Replays' },
    { name: 'replay-new', path: `${below}/replays/new`, heading: 'Start a replay' },
    {
      name: 'replay',
      path: `${below}/replays/${replayUid}?webhookUid=${webhookUid}`,
      heading: 'Replay',
    },
    { name: 'sync', path: `${below}/syncs/${syncUid}`, heading: 'Sync' },
    { name: 'erasures', path: `${below}/erasures`, heading: 'Erasures' },
    { name: 'users', path: `${below}/users`, heading: 'Users' },
    { name: 'user', path: `${below}/users/${userUid}`, heading: 'Ada Lovelace' },
    { name: 'accounts', path: `${below}/accounts`, heading: 'Accounts' },
    { name: 'account', path: `${below}/accounts/${accountUid}`, heading: 'First account' },
    { name: 'members', path: `${below}/members`, heading: 'Members' },
    { name: 'audit-log', path: `${below}/audit-log`, heading: 'Audit log' },
    { name: 'settings', path: `${below}/settings`, heading: 'Settings' },
    { name: 'not-found', path: `${below}/nothing`, heading: 'Page not found' },
  ];
}
