// The process of `startReceiverProcess`: `--import tsx receiver-process.ts <number of origins>`.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowMs } from '../../dev/bench/clock.ts';
import type { Arrival, FromReceivers } from './receivers-apart.ts';

const reportEveryMs = 50;
const unreported: Arrival[] = [];
let unanswered = 0;
let mostUnanswered = 0;

function receive(request: IncomingMessage, response: ServerResponse): void {
  const atMs = nowMs();
  const [, manner = '', name = ''] = (request.url ?? '').split('/');
  const attempt = Number(request.headers['x-webhook-attempt']);
  unreported.push({ name, eventId: String(request.headers['webhook-id']), attempt, atMs });
  unanswered += 1;
  mostUnanswered = Math.max(mostUnanswered, unanswered);
  response.once('close', () => (unanswered -= 1));
  request.resume();
  request.once('end', () => answer(response, { manner, attempt }));
}

function answer(
  response: ServerResponse,
  { manner, attempt }: { manner: string; attempt: number },
): void {
  const end = (status: number): void => void response.writeHead(status).end();
  if (manner === 'hangs') return;
  if (manner === 'fails') end(500);
  else if (manner === 'fails-once') end(attempt === 1 ? 500 : 200);
  else if (manner === 'slow') setTimeout(end, 900, 200);
  else end(200);
}

function report(message: FromReceivers): void {
  if (process.connected) process.send?.(message);
}

const ports = await Promise.all(
  Array.from({ length: Number(process.argv[2]) }, async () => {
    const server = createServer({ keepAliveTimeout: 65_000 }, receive);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }),
);
setInterval(() => {
  if (unreported.length > 0) report({ arrivals: unreported.splice(0), mostUnanswered });
  mostUnanswered = unanswered;
}, reportEveryMs);
process.once('disconnect', () => process.exit(0));
report({ ports });
