import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { HeraldAdminClient, HeraldClient } from '../../../../packages/client-ts/src/index.ts';
import { startScript, streamOf } from './script-server.ts';

const key = { appUid: 'app_1', apiKey: 'secret' };
const packageJson = await readFile('packages/client-ts/package.json', 'utf8');
const { version } = JSON.parse(packageJson) as { version: string };

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test('each request names the client and the version of its package', async () => {
  await using server = await startScript({}, {}, {}, streamOf('id: 1\ndata: {}\n\n'));
  const client = new HeraldClient({ url: server.url, ...key });
  await client.service.health();
  await client.agents.get('agt_1');
  await new HeraldAdminClient({ url: server.url, csrfToken: () => null }).session.get();
  for await (const _ of client.events.stream()) break;
  const names = server.received.map(({ headers }) => headers['user-agent']);
  expect(names).toEqual(Array.from({ length: 4 }, () => `agent-herald-client-ts/${version}`));
});

test('in a page, no request has headers that need a preflight for calls open to all', async () => {
  vi.stubGlobal('document', {});
  vi.resetModules();
  const inPage = await import('../../../../packages/client-ts/src/index.ts');
  const sent: unknown[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(init?.headers);
    return Response.json({});
  };
  await new inPage.HeraldClient({ url: 'https://agents.example.com', fetch }).service.health();
  expect(sent).toEqual([{ accept: 'application/json' }]);
});
