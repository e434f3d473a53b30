// The output of `npm start`: all addresses, and the first three calls.
import { join } from 'node:path';
import type { DevFile } from '../../lib/config/dev-file.ts';

export function announcement(
  dev: DevFile,
  facts: { dataDir: string; ephemeral: boolean; startedMs: number; temporalNamespace: string },
): string {
  const base = `${dev.apiUrl}/api/v1/appuid/${dev.appUid}`;
  const json = `-H 'Content-Type: application/json'`;
  const bearer = `-H 'Authorization: Bearer ${dev.apiKey}'`;
  const rows: [string, string][] = [
    ['Console', dev.consoleUrl],
    ['  email', dev.adminEmail ?? 'your own; new admins: npm run admin -- create --email EMAIL'],
    ...(dev.adminPassword === null
      ? []
      : [['  password', dev.adminPassword] satisfies [string, string]]),
    ['API', dev.apiUrl],
    ['Temporal UI', dev.temporalUiUrl ?? `that of ${dev.temporalAddress}`],
    ...savedQueries(dev.temporalUiUrl, facts.temporalNamespace),
    ['app uid', dev.appUid],
    ['API key', dev.apiKey],
    ['account uid', dev.accountUid],
    ...(facts.ephemeral ? [] : [['data', facts.dataDir] satisfies [string, string]]),
    ['logs', join(facts.dataDir, 'logs')],
    ['shell env', join(facts.dataDir, 'env')],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    '',
    `agent-herald is ready (${(facts.startedMs / 1_000).toFixed(1)} s). Ctrl-C stops it.`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    '',
    'Sign in a user:',
    `  curl -s ${base}/sdkusers/auth -H 'x-api-key: ${dev.apiKey}' ${json} \\`,
    `    -d '{"externalId":"user-1","name":"Ada","accountUids":["${dev.accountUid}"]}'`,
    'Register a webhook (here, the receiver may be on this machine and use plain HTTP):',
    `  curl -s ${base}/webhooks ${bearer} ${json} \\`,
    `    -d '{"url":"http://localhost:4000/hook","entities":["agent","context","contextfile"],"active":true}'`,
    'Create an agent, which sends an event to the webhook:',
    `  curl -s ${base}/agents ${bearer} ${json} \\`,
    `    -d '{"agentName":"Support","externalTenantId":"tenant-1","live":true}'`,
    '',
    'Receive events in your own application, in five commands: docs/quickstart.md',
    '',
    'Watch a demo, with a receiver that verifies each signature:  npm run demo',
    '',
  ].join('\n');
}

// The UI keeps its columns and saved views in the browser, so links are all that can be prepared.
function savedQueries(uiUrl: string | null, namespace: string): [string, string][] {
  if (uiUrl === null) return [];
  const list = `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows?query=`;
  return [
    ['  failed deliveries', 'ExecutionStatus="Failed"'],
    ['  retrying', 'ExecutionStatus="Running" AND DeliveryState="retrying"'],
  ].map(([name = '', query = '']) => [name, `${list}${encodeURIComponent(query)}`]);
}
