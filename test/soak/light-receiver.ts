import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Receipt } from './verdict.ts';

export interface LightReceiver extends AsyncDisposable {
  /** The number of a webhook is the path behind it. */
  url: string;
  receipts: readonly Receipt[];
}

/** Starts a receiver that keeps nothing of a request but its time, and answers after so long. */
export async function startLightReceiver(
  answersAfterMs: () => number = () => 0,
): Promise<LightReceiver> {
  const receipts: Receipt[] = [];
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const eventId = String(request.headers['x-webhook-event-id']);
    receipts.push({ atMs: Date.now(), eventId, hook: Number(request.url?.slice(1)) });
    request.resume();
    const answer = (): void => void response.writeHead(200).end();
    const waitMs = answersAfterMs();
    request.on('end', () => (waitMs > 0 ? void setTimeout(answer, waitMs) : answer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    receipts,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
