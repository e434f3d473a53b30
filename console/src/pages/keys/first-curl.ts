import type { Scope } from './scopes.ts';

interface FirstCall {
  scope: Scope;
  path: string;
  body?: string;
}

// The first allowed call is used. Calls that change something come last.
const firstCalls: readonly FirstCall[] = [
  { scope: 'events:read', path: '/events?limit=1' },
  { scope: 'webhooks:read', path: '/webhooks' },
  { scope: 'resources:read', path: '/agents?limit=1' },
  { scope: 'admin', path: '/audit-log?limit=1' },
  { scope: 'webhooks:write', path: '/webhooks/check-url', body: '{"url":"https://example.com/"}' },
  { scope: 'users:auth', path: '/sdkusers/auth', body: '{"externalId":"user-1","name":"Ada"}' },
  {
    scope: 'resources:write',
    path: '/changes',
    body: '{"event":"agent.updated","data":{"uid":"agent-1","externalTenantId":"tenant-1"}}',
  },
  {
    scope: 'events:write',
    path: '/replays',
    body: '{"since":"2026-01-01T00:00:00Z","dryRun":true}',
  },
];

interface NewKey {
  serviceUrl: string;
  appUid: string;
  apiKey: string;
  scopes: readonly Scope[];
}

/** Returns a command that tries out a new key, without changing anything if the scopes allow that. */
export function firstCurl({ serviceUrl, appUid, apiKey, scopes }: NewKey): string {
  const call = firstCalls.find(({ scope }) => scopes.includes(scope));
  if (call === undefined) throw new Error('a key has a scope');
  const url = `${serviceUrl.replace(/\/$/, '')}/api/v1/appuid/${appUid}${call.path}`;
  const lines = [`curl '${url}'`, `  -H 'x-api-key: ${apiKey}'`];
  if (call.body !== undefined) {
    lines.push(`  -H 'content-type: application/json'`, `  -d '${call.body}'`);
  }
  return lines.join(' \\\n');
}
