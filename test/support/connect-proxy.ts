// An HTTP CONNECT proxy for tests. It records requests, and connects or refuses as the test decides.
import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** The reaction to a request for a tunnel: connect, disconnect, send another response, or none. */
export type ProxyReaction =
  | 'connect'
  | 'break'
  | 'silence'
  | { readonly status: number; readonly headers?: OutgoingHttpHeaders; readonly early?: string };

export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** The requested targets, `address:port`. */
  readonly targets: readonly string[];
  readonly authorizations: readonly (string | undefined)[];
  readonly sockets: readonly Socket[];
}

/** Starts a proxy on a free port of 127.0.0.1. `onwardTo` is a host and port for all tunnels. */
export async function startConnectProxy(
  react: (target: string) => ProxyReaction = () => 'connect',
  onwardTo?: string,
): Promise<ConnectProxy> {
  const targets: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets: Socket[] = [];
  const server = createServer();
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
  });
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    targets.push(url);
    authorizations.push(headers['proxy-authorization']);
    const reaction = react(url);
    if (reaction === 'connect') {
      join(onwardTo ?? url, client, sockets);
      return;
    }
    if (reaction === 'break') {
      client.destroy();
      return;
    }
    // Keep reading, so that the end of the connection is noticed.
    client.resume().once('end', () => client.end());
    if (reaction !== 'silence') client.write(answerText(reaction));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    targets,
    authorizations,
    sockets,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function join(target: string, client: Socket, sockets: Socket[]): void {
  const colon = target.lastIndexOf(':');
  const onward = connect(Number(target.slice(colon + 1)), target.slice(0, colon));
  sockets.push(onward);
  onward.on('error', () => client.destroy());
  onward.once('connect', () => {
    client.write(answerText({ status: 200 }));
    client.pipe(onward).pipe(client);
  });
}

function answerText({ status, headers = {}, early = '' }: Exclude<ProxyReaction, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `HTTP/1.1 ${status} Said\r\n${lines.join('')}\r\n${early}`;
}
