// A collector's process: takes what OTLP sends, and keeps nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200).end());
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
// Ends with the driver, however that one ended.
process.once('disconnect', () => process.exit(0));
