// A receiver as an integrator would write it: raw body, quick response.
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Verifier } from '../../packages/receiver-ts/src/index.ts';
import { print } from '../servers/print.ts';

export interface DemoReceiver extends AsyncDisposable {
  url: string;
  /** The signing secret, known once the webhook is registered. */
  secret: string;
  /** The number of signatures that did not verify. */
  refused: number;
  /** Returns the names of the events that have arrived, once all expected ones have or the time is over. */
  waitForAll(expected: readonly string[], timeoutMs: number): Promise<string[]>;
}

const shownHeaders = /^(?:content-type|webhook-.*|x-webhook-.*)$/;

/** Starts a receiver on a free port; it prints each delivery. */
export async function startDemoReceiver(): Promise<DemoReceiver> {
  const events = new Map<string, string>();
  let onArrival: () => void = () => undefined;
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const verified = await isGenuine(receiver.secret, body, request.headers);
    response.writeHead(verified ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(verified ? { received: true } : { error: 'bad signature' }));
    const payload = JSON.parse(body) as { eventId: string; event: string };
    print(describe(payload.event, body, { headers: request.headers, verified }));
    if (verified) events.set(payload.eventId, payload.event);
    else receiver.refused += 1;
    onArrival();
  }
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: DemoReceiver = {
    url: `http://localhost:${(server.address() as AddressInfo).port}/hook`,
    secret: '',
    refused: 0,
    async waitForAll(expected, timeoutMs) {
      const complete = new Promise<void>((done) => {
        onArrival = () => {
          if (expected.every((event) => [...events.values()].includes(event))) done();
        };
        onArrival();
        setTimeout(done, timeoutMs).unref();
      });
      await complete;
      return [...events.values()];
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** Checks both signatures. */
async function isGenuine(secret: string, body: string, headers: IncomingHttpHeaders) {
  try {
    for (const scheme of ['standard', 'body-only'] as const)
      await new Verifier({ secrets: secret, scheme }).verify({ headers, body });
    return true;
  } catch {
    return false;
  }
}

function describe(
  event: string,
  body: string,
  { headers, verified }: { headers: IncomingHttpHeaders; verified: boolean },
): string {
  const shown = Object.entries(headers).filter(([name]) => shownHeaders.test(name));
  const lines = shown.map(([name, value]) => `    ${name}: ${String(value)}`);
  const outcome = verified ? 'signature verified' : 'SIGNATURE DOES NOT VERIFY';
  return [`\n  ⇐ ${event}: ${outcome}`, ...lines, `    ${body}`].join('\n');
}
