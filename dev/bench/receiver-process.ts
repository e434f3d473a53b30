// The receiver's process: answers deliveries and tells the driver when each came. It verifies nothing.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowMs } from './clock.ts';
import type { Arrival, FromReceiver } from './receiver.ts';

// Told in bundles: a message a delivery would cost more than the delivery does.
const reportEveryMs = 50;
const bodyCharactersMax = 1024 * 1024;

const untold: Arrival[] = [];

function tell(message: FromReceiver): void {
  if (process.connected) process.send?.(message);
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const atMs = nowMs();
  const [, delayMs = '0', hookUid = ''] = (request.url ?? '').split('/');
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => {
    if (body.length < bodyCharactersMax) body += text;
  });
  request.on('end', () => {
    const call = /bench-(\d+)/.exec(body)?.[1];
    if (call !== undefined) untold.push([hookUid, Number(call), atMs]);
    const answer = (): void => void response.writeHead(200).end();
    if (delayMs === '0') answer();
    else setTimeout(answer, Number(delayMs));
  });
}

// Idle connections stay longer than any sender keeps them, so that this side never cuts one in use.
const server = createServer({ keepAliveTimeout: 65_000 }, receive);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
setInterval(() => {
  if (untold.length > 0) tell({ arrivals: untold.splice(0) });
}, reportEveryMs);
// The channel ends with the driver, however that one ended.
process.once('disconnect', () => process.exit(0));
tell({ port: (server.address() as AddressInfo).port });
