// The client and the receiver of a soak, which leave the machine to the service.
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import type { NewApp } from '../../lib/access/create-app-with-key.ts';
import type { Answer, ApiClient, JsonBody } from '../support/api-client.ts';
import { listen } from '../support/receivers.ts';

/** A client of one application like in other tests, but its responses are untyped. */
export interface LightClient {
  call(...call: Parameters<ApiClient['call']>): Promise<Pick<Answer, 'status' | 'body' | 'text'>>;
}

// More than are ever in flight, so that no call waits here.
const connections = 4_000;

/** Creates a client that leaves the machine to the service: it does not check responses against the contract. */
export function createLightClient(
  apiUrl: string,
  { appUid, apiKey }: NewApp,
): LightClient & AsyncDisposable {
  const dispatcher = new Agent({ connections, bodyTimeout: 0, headersTimeout: 0 });
  return {
    async call(method, path, { body, headers = { 'x-api-key': apiKey } } = {}) {
      const answer = await request(`${apiUrl}/api/v1/appuid/${appUid}${path}`, {
        dispatcher,
        method,
        headers: { 'content-type': 'application/json', ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      return { status: answer.statusCode, body: JSON.parse(text) as JsonBody, text };
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

/** A request at the receiver, for webhook number `hook`, and the status of the response. */
export interface Receipt {
  atMs: number;
  eventId: string;
  hook: number;
  status: number;
}

export interface LightReceiver extends AsyncDisposable {
  /** The path after it is the number of the webhook. */
  url: string;
  receipts: readonly Receipt[];
}

interface Responses {
  statusOf?: (request: Pick<Receipt, 'eventId' | 'hook'>) => number;
  afterMs?: () => number;
}

/** Starts a receiver that keeps only a receipt of each request. */
export async function startLightReceiver({
  statusOf = () => 200,
  afterMs = () => 0,
}: Responses = {}): Promise<LightReceiver> {
  const receipts: Receipt[] = [];
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const eventId = String(request.headers['x-webhook-event-id']);
    const hook = Number(request.url?.slice(1));
    const status = statusOf({ eventId, hook });
    receipts.push({ atMs: Date.now(), eventId, hook, status });
    request.resume();
    const respond = (): void => void response.writeHead(status).end();
    const waitMs = afterMs();
    request.on('end', () => (waitMs > 0 ? void setTimeout(respond, waitMs) : respond()));
  });
  return { ...(await listen(server)), receipts };
}
