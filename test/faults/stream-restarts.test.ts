// Readers of the event stream over a restart of the api and interrupted connections: one that resumes by the last ID, and
// `agent-herald listen`.
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../lib/platform/ids.ts';
import { type Answer, createApiClient } from '../support/api-client.ts';
import { buildCommandLine } from '../support/command-line.ts';
import { openStream, type StreamReader } from '../support/event-stream.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { startServerProxy } from '../support/server-proxy.ts';
import { waitFor } from '../support/wait-for.ts';

const reportersMax = 10;

let installation: Installation;
/** The current process: it is replaced in each test. */
let api: RoleProcess;

beforeAll(async () => {
  installation = await createInstallation();
  api = await startRole('api', installation.env);
});

afterAll(async () => {
  await api?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

const apiUrl = () => `http://127.0.0.1:${api.port}`;

/** Stops the api and starts another. Returns the stopped one, and how long its stop took. */
async function restart(): Promise<{ stopped: RoleProcess; stopMs: number }> {
  const stopped = api;
  const { ms: stopMs } = await stopped.end('SIGTERM');
  api = await startRole('api', installation.env);
  return { stopped, stopMs };
}

/** Reports changes at an even pace, each until it has a response, and returns the IDs of their events. */
async function reportAll(changes: number, overMs: number): Promise<string[]> {
  const startedAtMs = performance.now();
  const eventIds: string[] = [];
  let next = 0;
  const reportSome = async (): Promise<void> => {
    for (let n = next; n < changes; n = next) {
      next += 1;
      await delay(Math.max(0, startedAtMs + (n * overMs) / changes - performance.now()));
      eventIds.push(await report(n));
    }
  };
  await Promise.all(Array.from({ length: reportersMax }, reportSome));
  return eventIds;
}

async function report(n: number): Promise<string> {
  const { app } = installation;
  const headers = { 'x-api-key': app.apiKey, 'idempotency-key': newId('req') };
  const data = { uid: `agt_${n % 10}`, externalTenantId: 'tenant-1' };
  const body = { event: 'agent.updated', data };
  let latest: Answer | null = null;
  const answered = async (): Promise<Answer | false> => {
    latest = await createApiClient(apiUrl(), app)
      .call('POST', '/changes', { body, headers })
      .catch(() => null);
    return latest?.status === 202 && latest;
  };
  const options = { what: 'the answer to a report', state: () => latest?.text };
  return String((await waitFor(answered, options)).body['eventId']);
}

test('over a restart and an interruption of 2 s, a resuming reader gets each of 300 changes once, and the stop is quick', async () => {
  const readers: StreamReader[] = [];
  const received = (): string[] => readers.flatMap((reader) => reader.eventIds());
  const read = async (lastEventId?: string): Promise<StreamReader> => {
    const options = lastEventId === undefined ? {} : { lastEventId };
    const reader = await openStream({ apiUrl: apiUrl(), app: installation.app }, options);
    readers.push(reader);
    return reader;
  };
  try {
    const first = await read();
    const reports = reportAll(300, 7_000);
    await waitFor(() => received().length > 30, { what: 'a tenth of the events' });
    const { stopped, stopMs } = await restart();
    await first.ended;
    // Less than the 8 s after which open requests are cut.
    expect(stopMs).toBeLessThan(7_000);
    expect(first.messages.at(-1)?.data['reason']).toBe('stopping');
    const second = await read(first.lastEventId());
    await waitFor(() => second.eventIds().length > 0, { what: 'an event after the restart' });
    second[Symbol.dispose]();
    await delay(2_000);
    await read(second.lastEventId());
    const reported = new Set(await reports);
    expect(reported.size).toBe(300);
    await waitFor(() => new Set(received()).size >= reported.size, {
      what: 'all events',
      state: () => `${new Set(received()).size} of ${reported.size}`,
    });
    expect(received()).toHaveLength(300);
    expect(new Set(received())).toEqual(reported);
    const lines = [...stopped.lines, ...api.lines];
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  } finally {
    for (const reader of readers) reader[Symbol.dispose]();
  }
});

test('over a restart of the api and three interruptions, listen sends each of 1,000 changes', async () => {
  const { appUid, apiKey } = installation.app;
  await using cli = await buildCommandLine({ HERALD_APP_UID: appUid, HERALD_API_KEY: apiKey });
  const target = new URL(apiUrl());
  await using proxy = await startServerProxy(target);
  await using receiver = await startReceiver((response) => void response.end());
  const eventIds = () =>
    receiver.requests.map(({ headers }) => String(headers['x-webhook-event-id']));
  const settings = { HERALD_URL: `http://127.0.0.1:${proxy.port}` };
  const listen = ['listen', '--forward-to', receiver.url];
  await using listening = await cli.start(listen, 'connected', settings);
  const reports = reportAll(1_000, 5_000);
  const atLeast = (count: number) =>
    waitFor(() => receiver.requests.length >= count, { what: `${count} requests` });
  await atLeast(100);
  await restart();
  target.port = String(api.port);
  for (const count of [300, 500, 700]) {
    await atLeast(count);
    proxy.refuse(true);
    await waitFor(() => listening.stderr.at(-1)?.startsWith('disconnected: '), { what: 'a cut' });
    proxy.refuse(false);
  }
  const reported = new Set(await reports);
  // The last changes of the test before may still arrive, too.
  const arrived = () => eventIds().filter((eventId) => reported.has(eventId));
  await waitFor(() => new Set(arrived()).size === reported.size, {
    what: 'all events',
    state: () => `${new Set(arrived()).size} of ${reported.size}`,
  });
  expect(arrived()).toHaveLength(1_000);
});
