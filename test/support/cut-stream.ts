// Reports changes while the api is restarted and a stream is interrupted, and counts the events that the reader got.
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../lib/platform/ids.ts';
import { type Answer, createApiClient } from './api-client.ts';
import { openStream, type StreamReader } from './event-stream.ts';
import type { Installation } from './installation.ts';
import { type RoleProcess, startRole } from './role-process.ts';
import { waitFor } from './wait-for.ts';

interface Run {
  changes: number;
  cutMs: number;
}

interface Course {
  reported: number;
  lost: number;
  repeated: number;
  /** How long the api took to stop with the stream open. */
  stopMs: number;
  /** The reason that its reader got. */
  reason: string;
  /** The errors in the logs of the apis. */
  errors: string[];
}

/** Spreads the changes over the interruption and another five seconds. */
export async function readThroughCuts(
  installation: Installation,
  { changes, cutMs }: Run,
): Promise<Course> {
  const { env, app } = installation;
  let api = await startRole('api', env);
  const urlOf = ({ port }: RoleProcess): string => `http://127.0.0.1:${port}`;
  const readers: StreamReader[] = [];
  const received = (): string[] => readers.flatMap((reader) => reader.eventIds());
  const read = async (lastEventId?: string): Promise<StreamReader> => {
    const options = lastEventId === undefined ? {} : { lastEventId };
    const reader = await openStream({ apiUrl: urlOf(api), app }, options);
    readers.push(reader);
    return reader;
  };
  try {
    const first = await read();
    const reports = reportAll(() => urlOf(api), { installation, changes, overMs: cutMs + 5_000 });
    await waitFor(() => received().length > changes / 10, { what: 'a tenth of the events' });
    const stopped = api;
    const { ms: stopMs } = await stopped.end('SIGTERM');
    await first.ended;
    api = await startRole('api', env);
    const second = await read(first.lastEventId());
    await waitFor(() => second.eventIds().length > 0, { what: 'an event after the restart' });
    second[Symbol.dispose]();
    await delay(cutMs);
    const third = await read(second.lastEventId());
    const reported = new Set(await reports);
    await waitFor(() => new Set(received()).size >= reported.size, {
      what: 'all events',
      state: () => `${new Set(received()).size} of ${reported.size}`,
    });
    third[Symbol.dispose]();
    const all = received();
    const lost = [...reported].filter((eventId) => !all.includes(eventId)).length;
    const repeated = all.length - new Set(all).size;
    const reason = String(first.messages.at(-1)?.data['reason']);
    const lines = [...stopped.lines, ...api.lines];
    const errors = lines.filter((line) => line['level'] === 'error').map(({ msg }) => msg);
    return { reported: reported.size, lost, repeated, stopMs, reason, errors };
  } finally {
    for (const reader of readers) reader[Symbol.dispose]();
    await api[Symbol.asyncDispose]();
  }
}

export interface Reports {
  installation: Installation;
  changes: number;
  overMs: number;
}

const reportersMax = 10;

/** Reports changes at an even pace, each until it has a response, and returns the IDs of their events. */
export async function reportAll(
  apiUrl: () => string,
  { installation, changes, overMs }: Reports,
): Promise<string[]> {
  const startedAtMs = performance.now();
  const eventIds: string[] = [];
  let next = 0;
  const reportSome = async (): Promise<void> => {
    for (let n = next; n < changes; n = next) {
      next += 1;
      await delay(Math.max(0, startedAtMs + (n * overMs) / changes - performance.now()));
      eventIds.push(await report(apiUrl, installation, n));
    }
  };
  await Promise.all(Array.from({ length: reportersMax }, reportSome));
  return eventIds;
}

async function report(apiUrl: () => string, { app }: Installation, n: number): Promise<string> {
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
