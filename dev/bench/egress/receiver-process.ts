// The receivers' process: endless bodies, fast or slow, or plain answers, by the path of the request.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const block = Buffer.alloc(64 * 1024, 0x61);
const dripEveryMs = 200;
const drop = block.subarray(0, 1_024);

function pour(response: ServerResponse): void {
  const pump = (): void => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', pump);
  pump();
}

// So slowly that the limit of bytes is never reached: only the deadline ends it.
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(drop), dripEveryMs);
  response.on('close', () => clearInterval(timer));
}

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200);
  if (request.url === '/pour') pour(response);
  else if (request.url === '/drip') drip(response);
  else response.end();
});
// Every loopback address is another origin.
server.listen(0, '0.0.0.0');
await once(server, 'listening');
// Ends with the driver, however that one ended.
process.once('disconnect', () => process.exit(0));
process.send?.({ port: (server.address() as AddressInfo).port });
