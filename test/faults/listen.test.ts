// `agent-herald listen` over a restart of the api and interrupted connections.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCommandLine, type CommandLine } from '../support/command-line.ts';
import { reportAll } from '../support/cut-stream.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startReceiver } from '../support/receivers.ts';
import { startRole } from '../support/role-process.ts';
import { startServerProxy } from '../support/server-proxy.ts';
import { waitFor } from '../support/wait-for.ts';

let installation: Installation;
let cli: CommandLine;

beforeAll(async () => {
  installation = await createInstallation();
  const { appUid, apiKey } = installation.app;
  cli = await buildCommandLine({ HERALD_APP_UID: appUid, HERALD_API_KEY: apiKey });
});

afterAll(async () => {
  await cli?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

test('over a restart of the api and three interruptions, listen sends each of 1,000 changes', async () => {
  const { env } = installation;
  let api = await startRole('api', env);
  try {
    const target = new URL(`http://127.0.0.1:${api.port}`);
    await using proxy = await startServerProxy(target);
    await using receiver = await startReceiver((response) => void response.end());
    const eventIds = () =>
      receiver.requests.map(({ headers }) => String(headers['x-webhook-event-id']));
    const settings = { HERALD_URL: `http://127.0.0.1:${proxy.port}` };
    await using listening = await cli.start(
      ['listen', '--forward-to', receiver.url],
      'connected',
      settings,
    );
    const url = () => `http://127.0.0.1:${api.port}`;
    const reports = reportAll(url, { installation, changes: 1_000, overMs: 5_000 });
    const atLeast = (count: number) =>
      waitFor(() => receiver.requests.length >= count, { what: `${count} requests` });
    await atLeast(100);
    await api.end('SIGTERM');
    api = await startRole('api', env);
    target.port = String(api.port);
    for (const count of [300, 500, 700]) {
      await atLeast(count);
      proxy.refuse(true);
      await waitFor(() => listening.stderr.at(-1)?.startsWith('disconnected: '), { what: 'a cut' });
      proxy.refuse(false);
    }
    const reported = new Set(await reports);
    await waitFor(() => new Set(eventIds()).size >= reported.size, {
      what: 'all events',
      state: () => `${new Set(eventIds()).size} of ${reported.size}`,
    });
    expect(new Set(eventIds())).toEqual(reported);
    expect(receiver.requests).toHaveLength(1_000);
  } finally {
    await api[Symbol.asyncDispose]();
  }
});
