// A proxy between a process and a server. It can cut connections at chosen messages, and refuse or freeze all of them.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { testServers } from './servers.ts';

export interface ServerProxy extends AsyncDisposable {
  port: number;
  /** Cuts the connection of each matching message, `times` in total, before it reaches the server. */
  cutAt(matches: (message: Buffer) => boolean, times?: number): void;
  /** With true, refuses new connections and cuts existing ones. With false, accepts connections again. */
  refuse(refusing: boolean): void;
  /** With true, accepts connections and forwards nothing, like a hanging server. With false, forwards what it held. */
  freeze(freezing: boolean): void;
  /** The number of cuts. */
  readonly cuts: number;
}

/** Returns a matcher of commands on a collection, such as an `insert` into `deliveries`. */
export function isCommand(name: string, collection: string): (message: Buffer) => boolean {
  return (message) => message.includes(`${name}\0`) && message.includes(`${collection}\0`);
}

/** Starts a proxy to the tests' MongoDB on a free port of 127.0.0.1. */
export async function startMongodbProxy(): Promise<ServerProxy & { uri: string }> {
  const uri = new URL(testServers().mongodbUri);
  const proxy = await startServerProxy(new URL(uri));
  uri.port = String(proxy.port);
  return Object.assign(proxy, { uri: uri.href });
}

/** Starts a proxy to the tests' Temporal on a free port of 127.0.0.1. */
export async function startTemporalProxy(): Promise<ServerProxy> {
  return startServerProxy(new URL(`http://${testServers().temporalAddress}`));
}

/** Starts a proxy to a server, whose port may change. */
export async function startServerProxy(target: URL): Promise<ServerProxy> {
  const sockets = new Set<Socket>();
  let matches: (message: Buffer) => boolean = () => false;
  let timesLeft = 0;
  let refusing = false;
  let freezing = false;
  let held: (() => void)[] = [];
  let cuts = 0;
  const pass = (socket: Socket, message: Buffer): void => {
    if (freezing) held.push(() => socket.write(message));
    else socket.write(message);
  };
  const server = createServer((client) => {
    if (refusing) {
      client.destroy();
      return;
    }
    const onward = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (message: Buffer) => {
      if (timesLeft > 0 && matches(message)) {
        timesLeft -= 1;
        cuts += 1;
        client.destroy();
        return;
      }
      pass(onward, message);
    });
    onward.on('data', (message: Buffer) => pass(client, message));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    get cuts() {
      return cuts;
    },
    cutAt(wanted, times = 1) {
      matches = wanted;
      timesLeft = times;
    },
    refuse(wanted) {
      refusing = wanted;
      if (refusing) cutAll();
    },
    freeze(wanted) {
      freezing = wanted;
      if (freezing) return;
      for (const write of held) write();
      held = [];
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      cutAll();
      await closed;
    },
  };
}
