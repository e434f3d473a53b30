// Each adapter responds in the same way over real HTTP.
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestListener,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { afterEach, describe, expect, test } from 'vitest';
import { expressReceiver } from '../../../../packages/receiver-ts/src/express.ts';
import { fastifyReceiver } from '../../../../packages/receiver-ts/src/fastify.ts';
import type { ReceiverOptions } from '../../../../packages/receiver-ts/src/index.ts';
import { koaReceiver } from '../../../../packages/receiver-ts/src/koa.ts';
import { nodeReceiver } from '../../../../packages/receiver-ts/src/node.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';

type Listener = (options: ReceiverOptions) => RequestListener | Promise<RequestListener>;

const adapters: Record<string, Listener> = {
  'node:http': (options) => {
    const handle = nodeReceiver(options);
    return (request, response) => void handle(request, response);
  },
  express: (options) => {
    const app = express();
    app.post('/', expressReceiver(options));
    app.use(express.json());
    return app;
  },
  'express with a raw body': (options) =>
    express()
      .use(express.raw({ type: '*/*', limit: '5mb' }))
      .post('/', expressReceiver(options)),
  koa: (options) => new Koa().use(koaReceiver(options)).callback(),
  fastify: async (options) => {
    const app = Fastify();
    await app.register(fastifyReceiver({ ...options, path: '/' }));
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

interface Sent {
  agent?: Agent;
  headers: Record<string, string>;
  body: string;
}

/** Sends a body in chunks, without its length unless the headers have it, and returns the status. */
async function sendInChunks(url: URL, { headers, body, agent }: Sent): Promise<number> {
  const request = httpRequest(url, { method: 'POST', headers, agent });
  const bytes = Buffer.from(body);
  for (let start = 0; start < bytes.length; start += 10_000)
    request.write(bytes.subarray(start, start + 10_000));
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode ?? 0;
}

describe.each(Object.entries(adapters))('%s', (_name, listenerOf) => {
  async function setUp(options: Partial<ReceiverOptions> = {}) {
    const handled: string[] = [];
    const errors: unknown[] = [];
    const listener = await listenerOf({
      secrets: receiverSecret,
      onEvent: ({ eventId }) => handled.push(eventId),
      onError: (error) => errors.push(error),
      ...options,
    });
    return { url: await serve(listener), handled, errors };
  }

  test('a delivery is handled, and the response is 204', async () => {
    const { url, handled } = await setUp();
    const response = await fetch(url, signedDelivery({ bytes: 200_000 }));
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(await sendInChunks(url, signedDelivery({ eventId: 'evt_2', bytes: 50_000 }))).toBe(204);
    expect(handled).toEqual(['evt_1', 'evt_2']);
  });

  test('a delivery signed with another secret gets 401 with the code', async () => {
    const { url, handled } = await setUp();
    const wrong = signedDelivery({ secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' });
    const response = await fetch(url, wrong);
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({ code: 'signature_mismatch' });
    expect(handled).toEqual([]);
  });

  test('an empty body gets 401', async () => {
    const { url } = await setUp();
    const { headers } = signedDelivery();
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(401);
  });

  test('a handler that fails results in 500, and the next attempt is handled', async () => {
    const failures = [new Error('not now')];
    const onEvent = async () => {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
    };
    const { url, errors } = await setUp({ onEvent });
    const response = await fetch(url, signedDelivery());
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ code: 'handler_failed' });
    expect(errors).toHaveLength(1);
    expect((await fetch(url, signedDelivery())).status).toBe(204);
  });

  test.each([true, false])(
    'a body over the limit gets 413, and its connection stays open (length declared: %s)',
    async (isTold) => {
      const { url, handled } = await setUp({ bodyBytesMax: 100_000 });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const large = signedDelivery({ bytes: 3_000_000 });
      const length = { 'Content-Length': String(Buffer.byteLength(large.body)) };
      const headers = isTold ? { ...large.headers, ...length } : large.headers;
      expect(await sendInChunks(url, { ...large, headers, agent })).toBe(413);
      expect(await sendInChunks(url, { ...signedDelivery({ eventId: 'evt_2' }), agent })).toBe(204);
      expect(handled).toEqual(['evt_2']);
      agent.destroy();
    },
  );
});

test('Fastify: routes outside the plugin still get parsed bodies', async () => {
  const app = Fastify();
  const options = { secrets: receiverSecret, onEvent: () => undefined, path: '/hook' };
  await app.register(fastifyReceiver(options));
  app.post('/', (request, reply) => void reply.send(request.body));
  await app.ready();
  const url = await serve((request, response) => app.routing(request, response));
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: '{"a":1}' });
  expect(await response.json()).toEqual({ a: 1 });
  expect((await fetch(new URL('/hook', url), signedDelivery())).status).toBe(204);
});

test('Express: an onError that throws is an error of the application', async () => {
  const onError = () => {
    throw new Error('the logger is away');
  };
  const handler = expressReceiver({ secrets: receiverSecret, onEvent: () => undefined, onError });
  const app = express().set('env', 'test').post('/', handler);
  const response = await fetch(await serve(app), { method: 'POST' });
  expect(response.status).toBe(500);
  expect(await response.text()).toContain('the logger is away');
});
