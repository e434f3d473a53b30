// The pages of an application, for the palette, the shortcuts and their list.

export interface PageOfApp {
  label: string;
  to:
    | '/apps/$appUid'
    | '/apps/$appUid/webhooks'
    | '/apps/$appUid/deliveries'
    | '/apps/$appUid/events'
    | '/apps/$appUid/events/live'
    | '/apps/$appUid/replays'
    | '/apps/$appUid/users'
    | '/apps/$appUid/accounts'
    | '/apps/$appUid/erasures'
    | '/apps/$appUid/keys'
    | '/apps/$appUid/members'
    | '/apps/$appUid/audit-log'
    | '/apps/$appUid/settings';
  /** The key that opens it after `g`. */
  letter: string;
  /** The group in the navigation. */
  group: 'Watch' | 'People' | 'Manage';
}

export const pagesOfApp: readonly PageOfApp[] = [
  { label: 'Overview', to: '/apps/$appUid', letter: 'o', group: 'Watch' },
  { label: 'Webhooks', to: '/apps/$appUid/webhooks', letter: 'w', group: 'Watch' },
  { label: 'Deliveries', to: '/apps/$appUid/deliveries', letter: 'd', group: 'Watch' },
  { label: 'Events', to: '/apps/$appUid/events', letter: 'e', group: 'Watch' },
  { label: 'Live events', to: '/apps/$appUid/events/live', letter: 'l', group: 'Watch' },
  { label: 'Replays', to: '/apps/$appUid/replays', letter: 'r', group: 'Watch' },
  { label: 'Users', to: '/apps/$appUid/users', letter: 'u', group: 'People' },
  { label: 'Accounts', to: '/apps/$appUid/accounts', letter: 'a', group: 'People' },
  { label: 'API Management', to: '/apps/$appUid/keys', letter: 'k', group: 'Manage' },
  { label: 'Members', to: '/apps/$appUid/members', letter: 'm', group: 'Manage' },
  { label: 'Audit log', to: '/apps/$appUid/audit-log', letter: 'h', group: 'Manage' },
  { label: 'Erasures', to: '/apps/$appUid/erasures', letter: 'x', group: 'Manage' },
  { label: 'Settings', to: '/apps/$appUid/settings', letter: 's', group: 'Manage' },
];
