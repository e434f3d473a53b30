// The server below Koa: clients that do not read, and clients that do not stop sending.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Koa from 'koa';
import { createServer } from '../../../api/http/create-server.ts';
import { fakeOnly } from '../../support/fake-only.ts';

afterEach(() => void jest.useRealTimers());

const requests = 20;
// Together larger than the buffers between client and server.
const answer = 'x'.repeat(1_000_000);
const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

/** Listens on a free port with an application that responds to all requests in the same way. */
async function listen(): Promise<{ server: Server; port: number }> {
  const app = new Koa().use((ctx) => {
    ctx.body = answer;
  });
  const limits = { connectionsMax: 10, connectionsPerAddressMax: null };
  const server = createServer(app, { publicUrl: 'http://localhost', ...limits });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

test('a client that does not read its responses is disconnected, and one that reads gets all of them', async () => {
  const { server, port } = await listen();
  expect(server.timeout).toBe(30_000);

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

  // Set only now, so that a reader on a busy machine is not disconnected.
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

test('a rejected client has a second to read the error, even while it keeps sending', async () => {
  const { server, port } = await listen();
  fakeOnly('setTimeout', 'clearTimeout', 'Date');
  const accepted = once(server, 'connection');
  const client = connect(port, '127.0.0.1');
  const [connection] = (await accepted) as [Socket];
  for (let piece = 0; piece < 3; piece += 1) {
    const failed = once(server, 'clientError');
    client.write(`${piece === 0 ? 'GET / HTTP/1.1\r\nx: ' : ''}${'x'.repeat(17_000)}`);
    await failed;
    expect(connection.destroyed).toBe(false);
  }
  jest.advanceTimersByTime(999);
  expect(connection.destroyed).toBe(false);
  jest.advanceTimersByTime(1);
  expect(connection.destroyed).toBe(true);
  client.destroy();
  server.close();
  await once(server, 'close');
});

test('a rejected tunnel that is reset does not end the process', async () => {
  const { server, port } = await listen();
  const accepted = once(server, 'connection');
  const client = connect(port, '127.0.0.1');
  const [connection] = (await accepted) as [Socket];
  client.write('CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(client, 'data');
  const closed = new Promise((resolve) => connection.once('close', resolve));
  client.resetAndDestroy();
  await closed;
  server.close();
  await once(server, 'close');
});
