// The process of the receiver: responds to deliveries and reports each to the driver. It verifies nothing.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowMs } from './clock.ts';
import type { Arrival, FromReceiver } from './receiver.ts';

// In batches, because a message per delivery would cost more than the delivery.
const reportEveryMs = 50;
const bodyCharactersMax = 1024 * 1024;

const unreported: Arrival[] = [];
// The number of requests by webhook.
const requests = new Map<string, number>();

function report(message: FromReceiver): void {
  if (process.connected) process.send?.(message);
}

// Selects one in `every` requests of a webhook, evenly spaced.
function isToRefuse(hookUid: string, every: number): boolean {
  const number = (requests.get(hookUid) ?? 0) + 1;
  requests.set(hookUid, number);
  return every > 0 && number % every === 0;
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const atMs = nowMs();
  const [, delayMs = '0', refuseEvery = '0', hookUid = ''] = (request.url ?? '').split('/');
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => {
    if (body.length < bodyCharactersMax) body += text;
  });
  request.on('end', () => {
    const call = /bench-(\d+)/.exec(body)?.[1];
    const isRefused = isToRefuse(hookUid, Number(refuseEvery));
    if (call !== undefined) unreported.push([hookUid, Number(call), atMs, isRefused]);
    const answer = (): void => void response.writeHead(isRefused ? 500 : 200).end();
    if (delayMs === '0') answer();
    else setTimeout(answer, Number(delayMs));
  });
}

// Longer than any sender keeps a connection, so that this side never closes one in use.
const server = createServer({ keepAliveTimeout: 65_000 }, receive);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
setInterval(() => {
  if (unreported.length > 0) report({ arrivals: unreported.splice(0) });
}, reportEveryMs);
// Ends with the driver, however the driver ended.
process.once('disconnect', () => process.exit(0));
report({ port: (server.address() as AddressInfo).port });
