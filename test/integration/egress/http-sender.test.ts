// The sender with real receivers: its requests, how it reads responses, its limits, and no effect of the environment.
import { Socket } from 'node:net';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { userAgent } from '../../../lib/platform/version.ts';
import {
  startReceiver,
  startTcpReceiver,
  makeKeyPair,
  startTlsReceiver,
} from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { failureOf, policyOfThisMachine as policy, post, statusOf } from './sends.ts';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

test('the receiver gets exactly the bytes, names and values that were sent', async () => {
  await using receiver = await startReceiver((response) => response.end('thanks'));
  await using sender = createHttpSender({ policy });
  const body = Buffer.from('{"name":"Zoë\u2028\u0000","n":1.0}', 'utf8');
  const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': 'sha256=abc' };
  const result = await sender.send(post(`${receiver.url}/hook?a=b`, { headers, body }));

  const [request] = receiver.requests;
  expect(request?.method).toBe('POST');
  expect(request?.path).toBe('/hook?a=b');
  expect(request?.body.equals(body)).toBe(true);
  expect(request?.rawHeaders).toEqual(
    expect.arrayContaining(['Content-Type', 'X-Webhook-Signature', 'sha256=abc']),
  );
  expect(request?.headers).toEqual({
    host: `127.0.0.1:${receiver.port}`,
    connection: 'keep-alive',
    'content-type': 'application/json',
    'content-length': String(body.length),
    'x-webhook-signature': 'sha256=abc',
    'user-agent': userAgent,
    accept: '*/*',
    'accept-encoding': 'identity',
  });
  expect(result).toEqual({
    kind: 'responded',
    status: 200,
    retryAfter: null,
    detail: null,
    responseSample: 'thanks',
    responseHeaders: [],
    address: '127.0.0.1',
    ms: {
      connect: expect.any(Number),
      firstByte: expect.any(Number),
      total: expect.any(Number),
    },
    phases: [
      expect.objectContaining({ name: 'connect', failed: false }),
      expect.objectContaining({ name: 'firstByte', failed: false }),
    ],
  });
});

test("the sender's own headers and line breaks in headers are rejected as our own fault", async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using sender = createHttpSender({ policy });
  const withHost = post(receiver.url, { headers: { Host: 'internal' } });
  await expect(sender.send(withHost)).rejects.toThrow('header host is set by the sender');
  const withBreak = post(receiver.url, { headers: { 'X-Name': 'a\r\nb: c' } });
  await expect(sender.send(withBreak)).rejects.toThrow('invalid X-Name header');
  expect(receiver.requests).toHaveLength(0);
});

test('a status line within the time counts, though the body drips past it', async () => {
  await using receiver = await startReceiver((response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(drip));
  });
  await using sender = createHttpSender({ policy });
  const result = await sender.send(post(receiver.url, { timeoutMs: 2_000 }));
  const detail = 'the receiver did not respond completely in time';
  expect(result).toMatchObject({ kind: 'responded', status: 200, detail });
  expect(result.ms.firstByte).toBeLessThan(result.ms.total);
});

test('endless interim responses do not outlast the deadline', async () => {
  await using receiver = await startTcpReceiver((socket) => {
    const drip = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10);
    socket.on('close', () => clearInterval(drip));
  });
  await using sender = createHttpSender({ policy });
  const result = await sender.send(post(receiver.url, { timeoutMs: 150 }));
  expect(failureOf(result)).toBe('timeout');
});

test('an endless response is cut at 64 KiB, its status counts, and its connection is closed', async () => {
  let written = 0;
  await using receiver = await startReceiver((response) => {
    response.writeHead(200);
    const pump = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384, 0x61))) written += 16_384;
    };
    response.on('drain', pump);
    pump();
  });
  await using sender = createHttpSender({ policy });
  const result = await sender.send(post(receiver.url));
  expect(result).toMatchObject({ kind: 'responded', status: 200 });
  expect(result.kind === 'responded' ? result.responseSample : '').toBe('a'.repeat(4_096));
  await waitFor(() => receiver.sockets.every((socket) => socket.destroyed));
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

test('a status counts before headers over 16 KiB, and headers under it are read', async () => {
  let size = 20_000;
  await using receiver = await startReceiver((response) => {
    response.writeHead(200, { 'x-large': 'h'.repeat(size) }).end();
  });
  await using sender = createHttpSender({ policy });
  expect(await sender.send(post(receiver.url))).toMatchObject({
    status: 200,
    detail: 'the headers of the response were larger than 16 KiB',
  });
  size = 15_000;
  expect(await sender.send(post(receiver.url))).toMatchObject({ status: 200, detail: null });
});

test('a receiver that closes without a response is a reset, and the request is not repeated', async () => {
  await using receiver = await startTcpReceiver((socket) => {
    socket.once('data', () => socket.end());
  });
  await using sender = createHttpSender({ policy });
  const result = await sender.send(post(receiver.url));
  expect(failureOf(result)).toBe('reset');
  expect(result.address).toBe('127.0.0.1');
  // On a new connection a reset may follow a delivery.
  expect(receiver.sockets).toHaveLength(1);
});

test('a reset before the address of the receiver is known is a reset, and not a blocked address', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using sender = createHttpSender({ policy });
  // Observed with 7 of 3,892 connections that were accepted and reset immediately.
  const sockets = Socket.prototype as unknown as { _getpeername: () => object };
  using unknown = jest.spyOn(sockets, '_getpeername').mockReturnValue({});
  expect(failureOf(await sender.send(post(receiver.url)))).toBe('reset');
  expect(unknown).toHaveBeenCalled();
});

test("the caller's signal rejects with its reason, before and during a send", async () => {
  await using receiver = await startReceiver(() => undefined);
  await using sender = createHttpSender({ policy });
  const reason = new Error('shutting down');
  const aborted = AbortSignal.abort(reason);
  await expect(sender.send(post(receiver.url, { signal: aborted }))).rejects.toBe(reason);
  expect(receiver.sockets).toHaveLength(0);

  const controller = new AbortController();
  const send = sender.send(post(receiver.url, { signal: controller.signal }));
  const ended = expect(send).rejects.toBe(reason);
  await waitFor(() => receiver.requests.length === 1);
  controller.abort(reason);
  await ended;
  await waitFor(() => receiver.sockets.every((socket) => socket.destroyed));
});

test('a disposed sender has closed its connections and accepts no more sends', async () => {
  await using receiver = await startReceiver((response) => response.end());
  const sender = createHttpSender({ policy });
  await sender.send(post(receiver.url));
  await sender[Symbol.asyncDispose]();
  await waitFor(() => receiver.sockets.every((socket) => socket.destroyed));
  await expect(sender.send(post(receiver.url))).rejects.toThrow('disposed');
});

test('a disposed sender waits for the requests in flight', async () => {
  let answer = (): void => undefined;
  await using receiver = await startReceiver((response) => {
    answer = () => response.end();
  });
  const sender = createHttpSender({ policy });
  const send = sender.send(post(receiver.url));
  await waitFor(() => receiver.requests.length === 1);
  const disposed = sender[Symbol.asyncDispose]();
  answer();
  await disposed;
  expect(statusOf(await send)).toBe(200);
  await waitFor(() => receiver.sockets.every((socket) => socket.destroyed));
});

test('a message is composed once its request has its permits, and an error in composing is thrown', async () => {
  const answers: (() => void)[] = [];
  await using receiver = await startReceiver((response) => {
    answers.push(() => response.end());
  });
  await using sender = createHttpSender({ policy });
  const { url } = receiver;
  // As many as a webhook has permits.
  const before = Array.from({ length: 32 }, () => sender.send(post(url)));
  let composed = false;
  const compose = async () => {
    composed = true;
    return { headers: {}, body: 'composed late' };
  };
  const last = sender.send({ url, compose });
  await new Promise((resolve) => void setImmediate(resolve));
  expect(composed).toBe(false);
  await waitFor(() => {
    for (const answer of answers.splice(0)) answer();
    return receiver.requests.length === 33 && answers.length === 0;
  });
  expect((await Promise.all([...before, last])).map(statusOf)).toEqual(Array(33).fill(200));
  expect(receiver.requests.map(({ body }) => body.toString())).toContain('composed late');

  const fault = new Error('no message');
  await expect(sender.send({ url, compose: () => Promise.reject(fault) })).rejects.toBe(fault);
  expect(receiver.requests).toHaveLength(33);
});

test('an error that the caller throws before a request ends the send, on a new connection and on a kept one', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using sender = createHttpSender({ policy });
  const refused = new Error('no longer mine');
  let calls = 0;
  const beforeRequest = (): void => {
    calls += 1;
    throw refused;
  };
  const refusing = post(receiver.url, { beforeRequest });
  await expect(sender.send(refusing)).rejects.toBe(refused);
  expect(await sender.send(post(receiver.url))).toMatchObject({ status: 200 });
  await expect(sender.send(refusing)).rejects.toBe(refused);
  expect(calls).toBe(2);
  expect(receiver.requests).toHaveLength(1);
});

const script = fileURLToPath(new URL('../../support/send-once.ts', import.meta.url));

const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'npm_config_proxy'];

test('proxy variables and NODE_TLS_REJECT_UNAUTHORIZED have no effect', async () => {
  await using proxy = await startReceiver((response) => response.end('by way of the proxy'));
  await using plain = await startReceiver((response) => response.end('straight'));
  await using secure = await startTlsReceiver(makeKeyPair(), (response) => response.end());
  const proxies = proxyNames.flatMap((name) => [
    [name, proxy.url],
    [name.toLowerCase(), proxy.url],
  ]);
  const env = {
    ...process.env,
    ...Object.fromEntries(proxies),
    NO_PROXY: '',
    NODE_USE_ENV_PROXY: '1',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  };
  // A separate process, because Node reads some of these only at its start.
  const args = ['--import', 'tsx', script, plain.url, secure.url];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(JSON.parse(stdout)).toMatchObject([
    { kind: 'responded', status: 200, responseSample: 'straight' },
    { kind: 'failed', errorClass: 'tls' },
  ]);
  expect(proxy.sockets).toHaveLength(0);
  expect(secure.requests).toHaveLength(0);
});
