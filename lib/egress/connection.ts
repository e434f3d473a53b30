// One socket with an HTTP/1.1 client of its own, and the pool where idle ones wait.
import type { Socket } from 'node:net';
import { Client } from 'undici';
import { SendFault } from './send-fault.ts';

/** An answer's headers may be this large. */
const headerBytesMax = 16 * 1024;

/** Shorter than the 5 s after which a Node receiver closes, so that we close first. */
const idleMsMax = 4_000;

/** A receiver that announces a time-out (`Keep-Alive: timeout=5`) is left this long before it. */
const idleMarginMs = 1_000;

/** A name can move, so even a busy connection is dropped for a new lookup after this long. */
const connectionAgeMsMax = 60_000;

/** A connection in use or in the idle pool; whoever took it is its only user. */
export interface Connection {
  readonly origin: string;
  readonly socket: Socket;
  readonly client: Client;
  readonly address: string | null;
  readonly openedAt: number;
}

/**
 * Gives a client of its own to a socket that the guard has passed. Undici's pools are not used:
 * they open sockets by themselves, never forget an origin before its limit throws, and do not
 * tell which connection carried which request. Every option of undici that bears on safety is set
 * here.
 */
export function createConnection(
  origin: string,
  socket: Socket,
  address: string | null,
): Connection {
  let given = false;
  const client = new Client(origin, {
    connect: (_options, callback) => {
      // Undici expects the answer in a later tick, and asks again when the socket has gone.
      queueMicrotask(() => {
        if (given || socket.destroyed) {
          callback(new SendFault('CONNECTION_STALE', 'the connection is closed'), null);
          return;
        }
        given = true;
        callback(null, socket);
      });
    },
    allowH2: false, // an h2 answer has no size cap of its own in undici 7
    pipelining: 1,
    maxRequestsPerClient: 0, // no limit: the age of the connection is one
    maxHeaderSize: headerBytesMax,
    keepAliveTimeout: idleMsMax,
    keepAliveMaxTimeout: idleMsMax,
    keepAliveTimeoutThreshold: idleMarginMs,
    headersTimeout: 0, // the deadline of the attempt bounds all phases together
    bodyTimeout: 0,
    maxResponseSize: -1, // the exchange stops reading by itself and keeps the status
    strictContentLength: true,
  });
  return { origin, socket, client, address, openedAt: performance.now() };
}

/** Closes a connection at once. */
export function destroyConnection({ client, socket }: Connection, reason?: Error): void {
  // The promise of destroy only tells when it is done, and it never rejects.
  void client.destroy(reason ?? null);
  socket.destroy();
}

export interface IdlePoolLimits {
  readonly idlePerOriginMax: number;
  readonly idleMax: number;
}

/**
 * Idle connections by origin, newest first out. It never holds more than its limits: the longest
 * idle is closed for a newer one, and a closed connection leaves no trace of its origin.
 */
export class IdlePool {
  readonly #limits: IdlePoolLimits;
  readonly #byOrigin = new Map<string, Connection[]>();
  readonly #oldestFirst = new Set<Connection>();
  readonly #watched = new WeakSet<Connection>();
  #closed = false;

  constructor(limits: IdlePoolLimits) {
    this.#limits = limits;
  }

  /** How many connections wait here. */
  get size(): number {
    return this.#oldestFirst.size;
  }

  /** Takes the most recently used connection to an origin, or gives null. */
  take(origin: string): Connection | null {
    for (;;) {
      const connection = this.#byOrigin.get(origin)?.at(-1);
      if (connection === undefined) return null;
      this.#remove(connection);
      if (isUsable(connection)) return connection;
      destroyConnection(connection);
    }
  }

  /** Keeps a connection whose last answer was read to its end, or closes it. */
  put(connection: Connection): void {
    if (this.#closed || !isUsable(connection)) {
      destroyConnection(connection);
      return;
    }
    const list = this.#byOrigin.get(connection.origin) ?? [];
    this.#byOrigin.set(connection.origin, list);
    list.push(connection);
    this.#oldestFirst.add(connection);
    this.#forgetWhenClosed(connection);
    if (list.length > this.#limits.idlePerOriginMax) this.#evict(list[0]);
    if (this.size > this.#limits.idleMax) this.#evict(this.#oldestFirst.values().next().value);
  }

  /** Closes all idle connections, and from now on whatever is put here. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#oldestFirst) this.#evict(connection);
  }

  /** A connection comes back here after each use, and must not gather a listener each time. */
  #forgetWhenClosed(connection: Connection): void {
    if (this.#watched.has(connection)) return;
    this.#watched.add(connection);
    connection.socket.once('close', () => this.#remove(connection));
  }

  #evict(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#remove(connection);
    destroyConnection(connection);
  }

  #remove(connection: Connection): void {
    if (!this.#oldestFirst.delete(connection)) return;
    const list = this.#byOrigin.get(connection.origin) ?? [];
    const index = list.indexOf(connection);
    if (index !== -1) list.splice(index, 1);
    if (list.length === 0) this.#byOrigin.delete(connection.origin);
  }
}

/**
 * An answer may come before the whole request is sent; what then waits to be written may never be
 * read, and the next request would wait behind it.
 */
function isUsable({ socket, openedAt }: Connection): boolean {
  const isWritten = socket.writableLength === 0;
  return isWritten && !socket.destroyed && performance.now() - openedAt < connectionAgeMsMax;
}
