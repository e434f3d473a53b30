// A proxy between a process and a server. It can cut connections at chosen messages, and refuse, freeze, silence or delay
// all of them.
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
  /** With true, existing connections stay open and lose everything, while new ones work. With false, cuts those. */
  silence(silencing: boolean): void;
  /** Forwards each chunk this much later. */
  delay(delayMs: number): void;
  /** Cuts the existing connections. */
  cut(): void;
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
  const lines = new Lines();
  let matches: (message: Buffer) => boolean = () => false;
  let timesLeft = 0;
  let refusing = false;
  let cuts = 0;
  const server = createServer({ noDelay: true }, (client) => {
    if (refusing) {
      client.destroy();
      return;
    }
    const onward = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    lines.join(onward, client);
    lines.join(client, onward, (message) => {
      if (timesLeft === 0 || !matches(message)) return false;
      timesLeft -= 1;
      cuts += 1;
      return true;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
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
      if (refusing) lines.cut();
    },
    freeze: (wanted) => lines.freeze(wanted),
    silence: (wanted) => lines.silence(wanted),
    delay: (delayMs) => lines.delay(delayMs),
    cut: () => lines.cut(),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      lines.cut();
      await closed;
    },
  };
}

/** The connections of a proxy, each of two sockets. */
class Lines {
  readonly #sockets = new Set<Socket>();
  readonly #silent = new Set<Socket>();
  /** In the order in which they came. */
  readonly #delayed = new Map<NodeJS.Timeout, () => void>();
  #delayMs = 0;
  #freezing = false;
  #held: (() => void)[] = [];

  /** Forwards what a socket gets, unless that cuts it. */
  join(socket: Socket, other: Socket, cutsAt: (message: Buffer) => boolean = () => false): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (!this.#silent.has(socket)) this.#later(() => other.destroy());
    });
    socket.on('data', (message: Buffer) => {
      if (this.#silent.has(socket)) return;
      if (cutsAt(message)) socket.destroy();
      else if (this.#freezing) this.#held.push(() => other.write(message));
      else this.#later(() => other.write(message));
    });
  }

  freeze(freezing: boolean): void {
    this.#freezing = freezing;
    if (freezing) return;
    for (const write of this.#held) write();
    this.#held = [];
  }

  silence(silencing: boolean): void {
    if (silencing) for (const socket of this.#sockets) this.#silent.add(socket);
    else {
      for (const socket of this.#silent) socket.destroy();
      this.#silent.clear();
    }
  }

  delay(delayMs: number): void {
    this.#delayMs = delayMs;
    // Before anything that comes now.
    for (const [timer, action] of this.#delayed) {
      clearTimeout(timer);
      action();
    }
    this.#delayed.clear();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #later(action: () => void): void {
    if (this.#delayMs === 0) {
      action();
      return;
    }
    const timer = setTimeout(() => {
      this.#delayed.delete(timer);
      action();
    }, this.#delayMs);
    this.#delayed.set(timer, action);
  }
}
