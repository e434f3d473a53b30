// Requests the key set: with Node's http if available, or else with fetch.
import type * as httpModule from 'node:http';
import type * as httpsModule from 'node:https';
import type { Socket } from 'node:net';
import type * as tlsModule from 'node:tls';
import { builtinModule, nodeProcess } from './builtin.ts';
import { proxyOf } from './proxy.ts';
import { userAgent } from './version.ts';

export interface Requested {
  status: number;
  cacheControl: string;
  parts: AsyncIterable<Uint8Array>;
}

/** Requests a URL. Follows no redirect. `signal` also ends the reading of the response. */
export function request(url: URL, signal: AbortSignal): Promise<Requested> {
  const modules = nodeModules();
  return modules === null
    ? requestByFetch(url, signal)
    : new NodeRequests(modules, signal).get(url);
}

interface NodeModules {
  http: typeof httpModule;
  https: typeof httpsModule;
  tls: typeof tlsModule;
}

/** Returns null on other platforms. The fetch of Bun and Deno uses the proxies of the environment. */
function nodeModules(): NodeModules | null {
  const { bun, deno } = nodeProcess?.versions ?? {};
  const [http, https, tls] = ['node:http', 'node:https', 'node:tls'].map(builtinModule);
  if (bun !== undefined || deno !== undefined || !http || !https || !tls) return null;
  return { http, https, tls } as NodeModules;
}

async function requestByFetch(url: URL, signal: AbortSignal): Promise<Requested> {
  const headers = { 'user-agent': userAgent };
  const {
    status,
    headers: given,
    body,
  } = await fetch(url, { headers, redirect: 'manual', signal });
  return { status, cacheControl: given.get('cache-control') ?? '', parts: partsOf(body) };
}

async function* partsOf(body: Response['body']): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return;
    yield part.value;
  }
}

/** Unlike fetch, these use the proxies of the environment, and do not keep a process alive. */
class NodeRequests {
  readonly #modules: NodeModules;
  readonly #signal: AbortSignal;

  constructor(modules: NodeModules, signal: AbortSignal) {
    this.#modules = modules;
    this.#signal = signal;
  }

  async get(url: URL): Promise<Requested> {
    const request = await this.#open(url, { 'user-agent': userAgent });
    const response = await this.#sent<httpModule.IncomingMessage>(request, 'response');
    const { statusCode: status = 0, headers } = response;
    return { status, cacheControl: headers['cache-control'] ?? '', parts: response };
  }

  async #open(url: URL, headers: Record<string, string>): Promise<httpModule.ClientRequest> {
    const { https, tls } = this.#modules;
    const signal = this.#signal;
    const proxy = proxyOf(url, nodeProcess?.env ?? {});
    if (proxy === null) return this.#client(url).request(url, { headers, signal, agent: false });
    if (url.protocol === 'http:')
      return this.#toProxy(proxy, { path: url.href, headers: { ...headers, host: url.host } });
    const socket = await this.#tunnel(proxy, `${url.hostname}:${url.port || 443}`);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const createConnection = () => tls.connect({ socket, host, servername: serverNameOf(host) });
    return https.request(url, { headers, signal, createConnection });
  }

  async #tunnel(proxy: URL, path: string): Promise<Socket> {
    const headers = { host: path, 'user-agent': userAgent };
    const connect = this.#toProxy(proxy, { method: 'CONNECT', path, headers });
    const response = await this.#sent<httpModule.IncomingMessage>(connect, 'connect');
    const { statusCode, socket } = response;
    socket.on('error', () => socket.destroy());
    if (statusCode === 200) return socket;
    socket.destroy();
    throw new Error(`the proxy has the status ${statusCode}`);
  }

  #toProxy(
    proxy: URL,
    { headers, ...target }: { method?: string; path: string; headers: Record<string, string> },
  ): httpModule.ClientRequest {
    const address = new URL(proxy);
    // Otherwise Node would also send them as the credentials for the server.
    address.username = address.password = '';
    const all = { ...headers, ...credentialsOf(proxy) };
    const options = { ...target, headers: all, signal: this.#signal, agent: false } as const;
    return this.#client(proxy).request(address, options);
  }

  #client({ protocol }: URL): typeof httpModule | typeof httpsModule {
    return protocol === 'https:' ? this.#modules.https : this.#modules.http;
  }

  #sent<Result>(request: httpModule.ClientRequest, event: string): Promise<Result> {
    return new Promise((resolve, reject) => {
      // Also after the promise is settled: an error without a listener would end the process.
      request.on('error', reject).once(event, resolve);
      request.on('socket', doNotWaitFor).end();
    });
  }
}

/** Lets the process end before the socket is closed. Each attempt to connect has a new handle. */
function doNotWaitFor(socket: Socket): void {
  socket.unref();
  for (const event of ['connectionAttempt', 'connect']) socket.on(event, () => socket.unref());
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

/** Returns the name for SNI, which must not be an address. */
function serverNameOf(host: string): string {
  return /^[0-9.]+$|:/.test(host) ? '' : host;
}
