// The server under Koa: what becomes of a client that takes nothing.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import Koa from 'koa';
import { createServer } from '../../../api/http/create-server.ts';

const requests = 20;
// All of them together are more than the buffers between the two sides hold.
const answer = 'x'.repeat(1_000_000);
const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

test('a client that does not read its answers is cut off, and one that reads gets them all', async () => {
  const app = new Koa().use((ctx) => {
    ctx.body = answer;
  });
  const server = createServer(app, {
    publicUrl: 'http://localhost',
    connectionsMax: 10,
    connectionsPerAddressMax: null,
  });
  expect(server.timeout).toBe(30_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const reader = connect(port, '127.0.0.1');
  let received = 0;
  const gotAll = new Promise<void>((resolve) => {
    reader.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received >= requests * answer.length) resolve();
    });
  });
  reader.write(request.repeat(requests));
  await gotAll;
  reader.destroy();

  // Only now, so that it does not cut off a reader that a busy machine made wait.
  server.timeout = 300;
  const accepted = once(server, 'connection');
  const deaf = connect(port, '127.0.0.1').on('error', () => undefined);
  deaf.pause().write(request.repeat(requests));
  const [connection] = (await accepted) as [NodeJS.ReadWriteStream];
  await once(connection, 'close');
  deaf.destroy();
  server.close();
  await once(server, 'close');
});
