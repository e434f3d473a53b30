import type { ApiKey } from '@agent-herald/client';

export type Scope = ApiKey['scopes'][number];

/** Describes each scope in a few words. */
export const scopeTexts: Readonly<Record<Scope, string>> = {
  'users:auth': 'sign in users, and verify and revoke their tokens',
  'webhooks:read': 'see webhooks and event types',
  'webhooks:write': 'create, change, test and delete webhooks',
  'events:read': 'see events, deliveries, replays and statistics, and follow the live stream',
  'events:write': 'resend, replay and recover events, and erase payloads',
  'resources:read': 'see agents, contexts and their files',
  'resources:write':
    'change agents, contexts and files, and report changes; each change creates events',
  admin: 'see, change and delete users and accounts, and read the audit log',
};

export const scopes = Object.keys(scopeTexts) as Scope[];

/** What most keys are for, with the fewest scopes. */
export const presets: readonly { label: string; scopes: readonly Scope[] }[] = [
  { label: 'Sign users in', scopes: ['users:auth'] },
  { label: 'Send events', scopes: ['resources:write'] },
  { label: 'Read only', scopes: ['webhooks:read', 'events:read', 'resources:read'] },
];
