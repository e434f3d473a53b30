// The receivers of all webhooks: each path follows its script for a while, and every request is kept.
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../support/receivers.ts';
import type { ReceivedRequest } from './history.ts';

interface Script {
  status: number | null;
  afterMs?: number;
  retryAfterSeconds?: number;
  cut?: 'before the body' | 'in the response';
}

export const scripts = {
  fast: { status: 200 },
  slow: { status: 200, afterMs: 1_500 },
  failing: { status: 500 },
  gone: { status: 410 },
  throttling: { status: 429, retryAfterSeconds: 2 },
  // Longer than the service waits.
  hanging: { status: null, afterMs: 7_000 },
  'cut before the body': { status: null, cut: 'before the body' },
  'cut after the body': { status: null },
  'cut in the response': { status: 200, cut: 'in the response' },
} as const satisfies Record<string, Script>;

export type ScriptName = keyof typeof scripts;

export interface Receivers extends AsyncDisposable {
  url: string;
  requests: readonly ReceivedRequest[];
  follow(path: string, script: ScriptName): void;
  /** From now on all respond with 200. */
  heal(): void;
}

export async function startReceivers(): Promise<Receivers> {
  const requests: ReceivedRequest[] = [];
  const bodies = new Map<string, string>();
  const current = new Map<string, ScriptName>();
  const follow = async (...[incoming, outgoing, facts]: Parameters<typeof respond>) => {
    const body = await respond(incoming, outgoing, facts);
    const { received } = facts;
    const known = bodies.get(received.eventId);
    if (body === null || body === known) return;
    if (known === undefined) bodies.set(received.eventId, body);
    received.body = body;
  };
  const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    const script: Script = scripts[current.get(incoming.url ?? '') ?? 'fast'];
    const received = arrival(incoming, script);
    requests.push(received);
    void follow(incoming, outgoing, { script, received });
  });
  return {
    ...(await listen(server)),
    requests,
    follow: (path, script) => void current.set(path, script),
    heal: () => current.clear(),
  };
}

function arrival(incoming: IncomingMessage, script: Script): ReceivedRequest {
  const { status, retryAfterSeconds } = script;
  const atMs = Date.now();
  const wanted = Object.entries(incoming.headers).filter(([name]) => name.includes('webhook'));
  const headers = Object.fromEntries(wanted.map(([name, value]) => [name, String(value)]));
  return {
    path: incoming.url ?? '',
    atMs,
    eventId: headers['x-webhook-event-id'] ?? '',
    attempt: Number(headers['x-webhook-attempt']),
    headers,
    body: null,
    response: { status, atMs, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
  };
}

/** Follows the script. Returns the body; null if it did not arrive as a whole. */
async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { script, received }: { script: Script; received: ReceivedRequest },
): Promise<string | null> {
  const { status, afterMs = 0, cut, retryAfterSeconds } = script;
  const body = cut === 'before the body' ? null : await bodyOf(incoming);
  if (afterMs > 0) await sleep(afterMs);
  received.response.atMs = Date.now();
  if (cut !== undefined || status === null) received.response.isCut = true;
  if (status === null) {
    incoming.destroy();
    return body;
  }
  const headers: OutgoingHttpHeaders =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  if (cut === undefined) outgoing.writeHead(status, headers).end();
  else {
    const longer = { ...headers, 'content-length': 100 };
    outgoing.writeHead(status, longer).write('{', () => outgoing.destroy());
  }
  return body;
}

async function bodyOf(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  } catch {
    // The service was killed, or its connection was cut.
    return null;
  }
}
