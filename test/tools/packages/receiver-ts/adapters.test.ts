// Each adapter responds in the same way over real HTTP, and explains how to fix a body that was read before it.
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { expressReceiver } from '../../../../packages/receiver-ts/src/express.ts';
import { fastifyReceiver } from '../../../../packages/receiver-ts/src/fastify.ts';
import { fetchReceiver } from '../../../../packages/receiver-ts/src/fetch.ts';
import {
  type ReceiverOptions,
  WebhookRefused,
} from '../../../../packages/receiver-ts/src/index.ts';
import { koaReceiver } from '../../../../packages/receiver-ts/src/koa.ts';
import { type NodeRequest, nodeReceiver } from '../../../../packages/receiver-ts/src/node.ts';
import { listen } from '../../../support/receivers.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';

type Read = (request: NodeRequest) => unknown;
type Listener = (
  options: ReceiverOptions,
  read: Read,
) => RequestListener | Promise<RequestListener>;

const afterRaw = 'express with a raw body';

/** Each adapter, after something that may read the body of a request. */
const adapters: Record<string, Listener> = {
  'node:http': (options, read) => {
    const handle = nodeReceiver(options);
    const respond = async (request: NodeRequest, response: ServerResponse): Promise<void> => {
      await read(request);
      await handle(request, response);
    };
    return (request, response) => void respond(request, response);
  },
  express: (options, read) =>
    express()
      .use(async (request, _response, next) => {
        await read(request);
        next();
      })
      .post('/', expressReceiver(options))
      .use(express.json()),
  [afterRaw]: (options, read) =>
    express()
      .use(express.raw({ type: '*/*', limit: '5mb' }))
      .use(async (request, _response, next) => {
        await read(request);
        next();
      })
      .post('/', expressReceiver(options)),
  koa: (options, read) =>
    new Koa()
      .use(async (ctx, next) => {
        await read(ctx.req);
        await next();
      })
      .use(koaReceiver(options))
      .callback(),
  fastify: async (options, read) => {
    const app = Fastify();
    app.addHook('onRequest', async (request) => {
      await read(request.raw);
    });
    await app.register(fastifyReceiver({ ...options, path: '/' }));
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
};

const closing: (() => PromiseLike<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<URL> {
  const server = await listen(createServer(listener));
  closing.push(() => server[Symbol.asyncDispose]());
  return new URL(server.url);
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

const detail =
  'the body was read or changed before the receiver: put the receiver before body parsers';

async function expectAlreadyRead(response: Response, errors: readonly unknown[]): Promise<void> {
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ code: 'body_already_read', detail });
  expect(errors).toEqual([expect.any(WebhookRefused)]);
  expect(errors[0]).toMatchObject({ code: 'body_already_read' });
  expect(String(errors[0])).toContain(detail);
}

const nodeReaders: Readonly<Record<string, Read>> = {
  'a reader to the end': (request) => text(request),
  'a reader of a part': async (request) => {
    await once(request, 'readable');
    request.read(3);
  },
  'an encoding': (request) => request.setEncoding('utf8'),
  'a parser that keeps what it read': async (request: IncomingMessage & { body?: unknown }) => {
    request.body = JSON.parse(await text(request));
  },
  'a copy that was written again': async (request: IncomingMessage & { rawBody?: unknown }) => {
    request.rawBody = Buffer.from(JSON.stringify(JSON.parse(await text(request)), null, 2));
  },
};

describe.each(Object.entries(adapters))('%s', (name, listenerOf) => {
  async function setUp(options: Partial<ReceiverOptions> = {}, read: Read = () => undefined) {
    const handled: string[] = [];
    const errors: unknown[] = [];
    const listener = await listenerOf(
      {
        secrets: receiverSecret,
        onEvent: ({ eventId }) => handled.push(eventId),
        onError: (error) => errors.push(error),
        ...options,
      },
      read,
    );
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

  test('a parser of a request without a body does not count as a reader', async () => {
    const { url, errors } = await setUp({}, (request) => {
      request.body = {};
    });
    const { headers } = signedDelivery();
    const response = await fetch(url, { method: 'POST', headers });
    expect([response.status, await response.json()]).toEqual([401, { code: 'signature_mismatch' }]);
    expect(errors).toHaveLength(1);
  });

  // Whoever reads after a raw body finds nothing.
  for (const [reader, read] of name === afterRaw ? [] : Object.entries(nodeReaders)) {
    test(`behind ${reader}`, async () => {
      const { url, errors } = await setUp({}, read);
      await expectAlreadyRead(await fetch(url, signedDelivery()), errors);
    });
  }
});

function reporting() {
  const errors: unknown[] = [];
  const options: ReceiverOptions = {
    secrets: receiverSecret,
    onEvent: () => undefined,
    onError: (error) => errors.push(error),
  };
  return { errors, options };
}

describe('fetch', () => {
  const readers: Readonly<Record<string, (request: Request) => unknown>> = {
    'text()': (request) => request.text(),
    'json()': (request) => request.json(),
    'a reader that keeps its lock': (request) => request.body?.getReader(),
    'a reader that took a part': async (request) => {
      const reader = request.body?.getReader();
      await reader?.read();
      reader?.releaseLock();
    },
    'a request made of it': (request) => new Request(request).text(),
  };

  test.each(Object.entries(readers))('%s', async (_name, read) => {
    const { errors, options } = reporting();
    const request = new Request('http://receiver.test', signedDelivery());
    await read(request);
    await expectAlreadyRead(await fetchReceiver(options)(request), errors);
  });

  test('reading a copy leaves the request intact', async () => {
    const { errors, options } = reporting();
    const request = new Request('http://receiver.test', signedDelivery());
    await request.clone().text();
    expect((await fetchReceiver(options)(request)).status).toBe(204);
    expect(errors).toEqual([]);
  });
});

test('a platform may keep the body as bytes of another realm', async () => {
  const sent = signedDelivery();
  const { errors, options } = reporting();
  const handle = nodeReceiver(options);
  const OtherUint8Array = runInNewContext('Uint8Array') as Uint8ArrayConstructor;
  const url = await serve((request: NodeRequest, response) => {
    request.on('end', () => void handle(request, response)).resume();
    request.body = new OtherUint8Array(Buffer.from(sent.body));
  });
  expect([(await fetch(url, sent)).status, errors]).toEqual([204, []]);
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
