// What the webhooks of a fuzzed service reach: all requests go through this proxy, which answers them itself.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Disposal } from '../../lib/platform/disposal.ts';

/** Starts it on a free port and returns its address. */
export async function startReceiver(open: Disposal): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.end());
  });
  server.on('connect', (_request, socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    server.emit('connection', socket);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // A service that stops cuts its requests.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.defer(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
