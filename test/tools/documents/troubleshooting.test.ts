// The calls of docs/troubleshooting.md work verbatim.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';

const run = promisify(execFile);
const markdown = await readFile('docs/troubleshooting.md', 'utf8');
const calls = [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, call = '']) => call);

let service: TestService;
let receiver: Receiver;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => void response.writeHead(204).end());
  const { body: webhook } = await service.call('POST', '/webhooks', {
    body: { url: receiver.url, entities: ['agent'] },
  });
  const { body: agent } = await service.call('POST', '/agents', {
    body: { agentName: 'Support', externalTenantId: 'tenant-1' },
  });
  const { body: events } = await service.call('GET', '/events');
  env = {
    API: `${service.apiUrl}/api/v1/appuid/${service.app.appUid}`,
    KEY: service.app.apiKey,
    HERALD_URL: service.apiUrl,
    HERALD_APP_UID: service.app.appUid,
    HERALD_API_KEY: service.app.apiKey,
    WEBHOOK: String(webhook['uid']),
    RESOURCE: String(agent['uid']),
    EVENT: String((events['data'] as unknown as { eventId: string }[])[0]?.eventId),
  };
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

test('the page has calls', () => {
  expect(calls.length).toBeGreaterThan(10);
});

test.each(calls)('%s', async (call) => {
  // The stream would stay open: curl ends it, with its own exit code.
  const { stdout } = await run('bash', ['-c', call], { env: { ...process.env, ...env } }).catch(
    (failed: { stdout: string; code: number }) => {
      expect([failed.code, call]).toEqual([28, expect.stringContaining('--max-time')]);
      return failed;
    },
  );
  expect(stdout).not.toBe('');
  expect(stdout).not.toContain('urn:agent-herald:problem:');
});
