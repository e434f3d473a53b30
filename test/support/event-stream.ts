// A reader of the event stream: parses server-sent events, keeps the last ID, and can be cut, paused and resumed.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { NewApp } from '../../lib/access/create-app-with-key.ts';
import type { JsonBody } from './api-client.ts';

export interface StreamMessage {
  /** `message` for an event. */
  type: string;
  data: JsonBody;
  atMs: number;
}

export interface StreamReader extends Disposable {
  status: number;
  headers: IncomingMessage['headers'];
  messages: readonly StreamMessage[];
  /** The IDs of the events, in the order of arrival. */
  eventIds(): string[];
  lastEventId(): string;
  /** Resolves when the server has ended the stream, or it was cut. */
  ended: Promise<void>;
  pause(): void;
  resume(): void;
  /** Cuts the connection. */
  [Symbol.dispose](): void;
}

interface StreamOptions {
  query?: string;
  lastEventId?: string;
  apiKey?: string;
  /** Sent instead of the API key. */
  headers?: Record<string, string>;
}

/** Opens a stream of an application. Returns once the headers of the response have arrived. */
export async function openStream(
  {
    apiUrl,
    app,
    path = `/api/v1/appuid/${app.appUid}`,
  }: { apiUrl: string; app: NewApp; path?: string },
  { query = '', lastEventId = '', apiKey = app.apiKey, ...given }: StreamOptions = {},
): Promise<StreamReader> {
  const headers = {
    ...(given.headers ?? { 'x-api-key': apiKey }),
    ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
  };
  const url = `${apiUrl}${path}/events/stream${query}`;
  const request = get(url, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const messages: StreamMessage[] = [];
  let id = lastEventId;
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = parseBlock(block);
      id = fields['id'] ?? id;
      const { event: type = 'message', data } = fields;
      if (data === undefined) continue;
      messages.push({ type, data: JSON.parse(data) as JsonBody, atMs: performance.now() });
    }
  });
  // A cut is an error of the response, too.
  response.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => response.once('close', () => resolve()));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    messages,
    eventIds: () => messages.filter(({ type }) => type === 'message').map(eventIdOf),
    lastEventId: () => id,
    ended,
    pause: () => response.pause(),
    resume: () => response.resume(),
    [Symbol.dispose]: () => request.destroy(),
  };
}

function eventIdOf({ data }: StreamMessage): string {
  return String(data['eventId']);
}

function parseBlock(block: string): Record<string, string> {
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    }),
  );
}
