// A server that handles requests by a script, one after another, and records them.
import type { IncomingHttpHeaders } from 'node:http';
import { startReceiver } from '../../../support/receivers.ts';

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Where the response is cut: before it starts, or in its body, whose connection is closed or left open. */
  readonly cut?: 'before' | 'in-body' | 'hanging';
}

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts the server. The last reply is repeated. */
export async function startScript(...replies: readonly Reply[]) {
  const received: Received[] = [];
  const receiver = await startReceiver((response, { method, path: url, headers, body: sent }) => {
    const reply = replies[received.length] ?? replies.at(-1) ?? {};
    const { status = 200, body = {}, cut } = reply;
    received.push({ method, url, headers, body: sent.toString() });
    if (cut === 'before') return response.socket?.destroy();
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'content-type': type, ...reply.headers });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    if (cut === undefined) return response.end(text);
    const close = () => void (cut === 'in-body' && response.socket?.destroy());
    return response.write(text.slice(0, -1), close);
  });
  return { ...receiver, received };
}

/** Returns a problem response of the service. */
export function problem(status: number, code: string, headers = {}): Reply {
  const body = { type: `urn:agent-herald:problem:${code}`, title: code, status, code };
  return {
    status,
    headers,
    body: { ...body, detail: `It is ${code}`, requestId: 'req_of_service' },
  };
}

/** Returns a stream of server-sent events, which ends after the last one. */
export function streamOf(...messages: readonly string[]): Reply {
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: messages.join(''),
  };
}
