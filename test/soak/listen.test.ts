// `agent-herald listen` over a connection that is interrupted for a minute.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { buildCommandLine } from '../support/command-line.ts';
import { reportAll } from '../support/cut-stream.ts';
import { createInstallation } from '../support/installation.ts';
import { startReceiver } from '../support/receivers.ts';
import { startRole } from '../support/role-process.ts';
import { startServerProxy } from '../support/server-proxy.ts';
import { waitFor } from '../support/wait-for.ts';

test('over an interruption of 60 s, listen sends each of 1,000 changes once', async () => {
  await using installation = await createInstallation();
  const { app, env } = installation;
  await using cli = await buildCommandLine({
    HERALD_APP_UID: app.appUid,
    HERALD_API_KEY: app.apiKey,
  });
  await using api = await startRole('api', env);
  const url = `http://127.0.0.1:${api.port}`;
  await using proxy = await startServerProxy(new URL(url));
  await using receiver = await startReceiver((response) => void response.end());
  const settings = { HERALD_URL: `http://127.0.0.1:${proxy.port}` };
  await using _listening = await cli.start(
    ['listen', '--forward-to', receiver.url],
    'connected',
    settings,
  );
  const reports = reportAll(() => url, { installation, changes: 1_000, overMs: 60_000 });
  await waitFor(() => receiver.requests.length >= 100, { what: 'a tenth of the events' });
  proxy.refuse(true);
  await delay(60_000);
  proxy.refuse(false);
  const reported = new Set(await reports);
  await waitFor(() => receiver.requests.length >= reported.size, { what: 'all events' });
  const eventIds = receiver.requests.map(({ headers }) => String(headers['x-webhook-event-id']));
  process.stdout.write(`${reported.size} changes, ${eventIds.length} requests\n`);
  expect(new Set(eventIds)).toEqual(reported);
  expect(eventIds).toHaveLength(1_000);
});
