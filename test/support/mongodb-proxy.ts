// A proxy between the driver and mongod for tests: cuts connections at chosen messages, or refuses all.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { testServers } from './servers.ts';

export interface MongodbProxy extends AsyncDisposable {
  uri: string;
  port: number;
  /** Cuts the connection of each message that matches, `times` in all, before mongod gets it. */
  cutAt(matches: (message: Buffer) => boolean, times?: number): void;
  /** With true, refuses new connections and cuts all; with false, accepts connections again. */
  refuse(refusing: boolean): void;
  /** The number of cuts. */
  readonly cuts: number;
}

/** Checks that a message is a command on a collection, such as an `insert` of `deliveries`. */
export function isCommand(name: string, collection: string): (message: Buffer) => boolean {
  return (message) => message.includes(`${name}\0`) && message.includes(`${collection}\0`);
}

/** Starts a proxy to the tests' MongoDB on a free port of 127.0.0.1. */
export async function startMongodbProxy(): Promise<MongodbProxy> {
  const target = new URL(testServers().mongodbUri);
  const sockets = new Set<Socket>();
  let matches: (message: Buffer) => boolean = () => false;
  let timesLeft = 0;
  let refusing = false;
  let cuts = 0;
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
      } else {
        onward.write(message);
      }
    });
    onward.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const uri = new URL(target);
  uri.port = String(port);
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    uri: uri.href,
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
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      cutAll();
      await closed;
    },
  };
}
