// A body that was read before the receiver: every adapter explains how to fix it.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import Fastify from 'fastify';
import Koa from 'koa';
import { afterEach, describe, expect, test } from 'vitest';
import { expressReceiver } from '../../../../packages/receiver-ts/src/express.ts';
import { fastifyReceiver } from '../../../../packages/receiver-ts/src/fastify.ts';
import { fetchReceiver } from '../../../../packages/receiver-ts/src/fetch.ts';
import {
  type ReceiverOptions,
  WebhookRefused,
} from '../../../../packages/receiver-ts/src/index.ts';
import { koaReceiver } from '../../../../packages/receiver-ts/src/koa.ts';
import { type NodeRequest, nodeReceiver } from '../../../../packages/receiver-ts/src/node.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';

const detail =
  'the body was read or changed before the receiver: put the receiver before body parsers';

function reporting() {
  const errors: unknown[] = [];
  const options: ReceiverOptions = {
    secrets: receiverSecret,
    onEvent: () => undefined,
    onError: (error) => errors.push(error),
  };
  return { errors, options };
}

async function expectAlreadyRead(response: Response, errors: readonly unknown[]): Promise<void> {
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ code: 'body_already_read', detail });
  expect(errors).toEqual([expect.any(WebhookRefused)]);
  expect(errors[0]).toMatchObject({ code: 'body_already_read' });
  expect(String(errors[0])).toContain(detail);
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

  test('a re-serialised body', async () => {
    const { errors, options } = reporting();
    const { headers, body, method } = signedDelivery();
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const request = new Request('http://receiver.test', {
      method,
      headers: { ...headers, ...length },
      body: JSON.stringify(JSON.parse(body), null, 2),
    });
    await expectAlreadyRead(await fetchReceiver(options)(request), errors);
  });

  test('reading a copy leaves the request intact', async () => {
    const { errors, options } = reporting();
    const request = new Request('http://receiver.test', signedDelivery());
    await request.clone().text();
    expect((await fetchReceiver(options)(request)).status).toBe(204);
    expect(errors).toEqual([]);
  });

  test.each([{}, { 'Content-Length': '0' }])(
    'a missing body is a wrong signature: %j',
    async (length) => {
      const { errors, options } = reporting();
      const headers = { ...signedDelivery().headers, ...length };
      const request = new Request('http://receiver.test', { method: 'POST', headers });
      const response = await fetchReceiver(options)(request);
      expect([response.status, await response.json()]).toEqual([
        401,
        { code: 'signature_mismatch' },
      ]);
      expect(String(errors[0])).toContain('the body is empty');
    },
  );
});

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

type Read = (request: NodeRequest) => unknown;

/** Each adapter with something that reads the body of a request before it. */
const adapters: Record<string, (read: Read, options: ReceiverOptions) => Promise<RequestListener>> =
  {
    'node:http': async (read, options) => {
      const handle = nodeReceiver(options);
      const respond = async (request: NodeRequest, response: ServerResponse): Promise<void> => {
        await read(request);
        await handle(request, response);
      };
      return (request, response) => void respond(request, response);
    },
    express: async (read, options) =>
      express()
        .use(async (request, _response, next) => {
          await read(request);
          next();
        })
        .post('/', expressReceiver(options)),
    koa: async (read, options) =>
      new Koa()
        .use(async (ctx, next) => {
          await read(ctx.req);
          await next();
        })
        .use(koaReceiver(options))
        .callback(),
    fastify: async (read, options) => {
      const app = Fastify();
      app.addHook('onRequest', async (request) => {
        await read(request.raw);
      });
      await app.register(fastifyReceiver({ ...options, path: '/' }));
      await app.ready();
      return (request, response) => app.routing(request, response);
    },
  };

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

describe.each(Object.entries(adapters))('%s', (_adapter, listenerOf) => {
  test.each(Object.entries(nodeReaders))('%s', async (_name, read) => {
    const { errors, options } = reporting();
    const url = await serve(await listenerOf(read, options));
    await expectAlreadyRead(await fetch(url, signedDelivery()), errors);
  });

  test('a parser of a request without a body does not count as a reader', async () => {
    const { errors, options } = reporting();
    const url = await serve(
      await listenerOf((request) => {
        request.body = {};
      }, options),
    );
    const { headers } = signedDelivery();
    const response = await fetch(url, { method: 'POST', headers });
    expect([response.status, await response.json()]).toEqual([401, { code: 'signature_mismatch' }]);
    expect(errors).toHaveLength(1);
  });
});

test('Express: behind express.json()', async () => {
  const { errors, options } = reporting();
  const url = await serve(express().use(express.json()).post('/', expressReceiver(options)));
  await expectAlreadyRead(await fetch(url, signedDelivery()), errors);
});
