// Calls the API like an integrator's back end: with an idempotency key, again after a failure, and never for ever.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { JsonBody } from '../support/api-client.ts';
import type { CallOutcome, Span } from './history.ts';

export interface Reply extends Span {
  /** Null without a response. */
  status: number | null;
  body: JsonBody;
  text: string;
  outcome: CallOutcome;
  /** Whether an earlier try, without a key, may take effect later. */
  isRepeated: boolean;
}

interface CallerApp {
  appUid: string;
  apiKey: string;
}

interface Content {
  body?: unknown;
  headers?: Record<string, string>;
  /** For how long the call is repeated until it gets a decisive response; 0: one call. The default is two minutes. */
  patienceMs?: number;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
/** A method and a path. */
export type Wanted = `${Method} ${string}`;

export interface Caller extends AsyncDisposable {
  /** Calls a path of the application. */
  call(app: CallerApp, request: Wanted, content?: Content): Promise<Reply>;
  /** Calls a path of the server. */
  raw(request: Wanted, content?: Content): Promise<Reply>;
  /** The number of requests by status; `broken` for those without a response. */
  statuses: Record<string, number>;
}

const patienceMsDefault = 120_000;
const pauseMs = 1_000;
// Longer than the service lets a request wait and take together.
const responseTimeoutMs = 30_000;

interface Try {
  method: string;
  path: string;
  status: number | null;
  isRepeat: boolean;
}

/** Whether a repeated call gets the response of the first. */
const hasKey = ({ method, path }: Pick<Try, 'method' | 'path'>): boolean =>
  method === 'POST' && !/\/(?:promote|cancel|roll|revoke)$/.test(path);

/** Returns what a try decides; null if the call is to be repeated. */
function outcomeOf({ method, path, status, isRepeat }: Try): CallOutcome | null {
  if (status === null || status >= 500 || status === 429 || status === 408) return null;
  if (status < 300) return 'accepted';
  if (!isRepeat) return 'refused';
  // An earlier try may have had the effect to which this refusal is due.
  if (method === 'DELETE' && status === 404) return 'accepted';
  if (!hasKey({ method, path })) return 'unknown';
  // The earlier try is still in flight.
  return status === 409 ? null : 'refused';
}

export function createCaller(url: string): Caller {
  const timeouts = { bodyTimeout: responseTimeoutMs, headersTimeout: responseTimeoutMs };
  const dispatcher = new Agent({ connections: 500, ...timeouts });
  const statuses: Record<string, number> = {};
  const once = async (
    method: string,
    path: string,
    content: Content,
  ): Promise<Pick<Reply, 'status' | 'text'>> => {
    const json = content.body === undefined ? {} : { 'content-type': 'application/json' };
    try {
      const response = await request(`${url}${path}`, {
        dispatcher,
        method: method as 'GET',
        headers: { ...json, ...content.headers },
        body: content.body === undefined ? null : JSON.stringify(content.body),
      });
      return { status: response.statusCode, text: await response.body.text() };
    } catch {
      return { status: null, text: '' };
    }
  };
  const raw: Caller['raw'] = async (wanted, content = {}) => {
    const [method = '', path = ''] = wanted.split(' ');
    const startMs = Date.now();
    const { patienceMs = patienceMsDefault } = content;
    for (let tries = 1; ; tries += 1) {
      const { status, text } = await once(method, path, content);
      const name = String(status ?? 'broken');
      statuses[name] = (statuses[name] ?? 0) + 1;
      const endMs = Date.now();
      const outcome = outcomeOf({ method, path, status, isRepeat: tries > 1 });
      const isRepeated = tries > 1 && !hasKey({ method, path });
      if (outcome !== null || endMs - startMs >= patienceMs)
        return {
          status,
          text,
          body: bodyOf(text),
          startMs,
          endMs,
          isRepeated,
          outcome: outcome ?? 'unknown',
        };
      await sleep(pauseMs);
    }
  };
  return {
    statuses,
    raw,
    call(app, wanted, content = {}) {
      const [method, path] = wanted.split(' ') as [Method, string];
      const key = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
      const headers = { 'x-api-key': app.apiKey, ...key, ...content.headers };
      return raw(`${method} /api/v1/appuid/${app.appUid}${path}`, { ...content, headers });
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

function bodyOf(text: string): JsonBody {
  try {
    return JSON.parse(text) as JsonBody;
  } catch {
    return {};
  }
}
