// Receivers for tests: real servers on free ports that record their requests.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly sockets: readonly Socket[];
  readonly requests: readonly ReceivedRequest[];
}

export type Answering = (response: ServerResponse, request: ReceivedRequest) => void;

/** Starts an HTTP receiver that records each request and then responds. */
export async function startReceiver(answer: Answering, host = '127.0.0.1'): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  return listen(createServer(recording(requests, answer)), { requests, host });
}

/** Starts one with TLS, with the given key, certificate and other TLS options. */
export async function startTlsReceiver(
  options: KeyPair & ServerOptions,
  answer: Answering,
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = createTlsServer(options, recording(requests, answer));
  return listen(server, { scheme: 'https', requests });
}

/** Starts a receiver of bare TCP connections, for responses that no HTTP server would send. */
export async function startTcpReceiver(onSocket: (socket: Socket) => void): Promise<Receiver> {
  return listen(createTcpServer(onSocket));
}

/** Returns a port on which nothing listens: one that was free a moment ago. */
export async function closedPort(): Promise<number> {
  await using receiver = await startTcpReceiver((socket) => socket.destroy());
  return receiver.port;
}

export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

/** Returns a self-signed key pair for `receiver.example.com` and 127.0.0.1, made with the openssl program. */
export function makeKeyPair(): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), 'herald-tls-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const names = 'subjectAltName=DNS:receiver.example.com,IP:127.0.0.1';
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const out = ['-keyout', key, '-out', cert];
    const subject = ['-days', '2', '-subj', '/CN=receiver.example.com', '-addext', names];
    execFileSync('openssl', ['req', '-x509', ...curve, ...out, ...subject], { stdio: 'pipe' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function recording(requests: ReceivedRequest[], answer: Answering): RequestListener {
  return (message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const request = {
        method: message.method ?? '',
        path: message.url ?? '',
        rawHeaders: message.rawHeaders,
        headers: message.headers,
        body: Buffer.concat(chunks),
      };
      requests.push(request);
      answer(response, request);
    });
  };
}

interface ListenOptions {
  readonly scheme?: 'http' | 'https';
  readonly requests?: readonly ReceivedRequest[];
  readonly host?: string;
}

/** Lets a server listen on a free port, until it and its connections are closed. */
export async function listen(
  server: Server,
  { scheme = 'http', requests = [], host = '127.0.0.1' }: ListenOptions = {},
): Promise<Receiver> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    sockets,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
