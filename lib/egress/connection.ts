import type { Socket } from 'node:net';
import { Client } from 'undici';
import { egressLimits } from '../limits.ts';
import { SendFault } from './send-fault.ts';

const { headerBytesMax, idleMsMax, connectionAgeMsMax } = egressLimits;

/** We close this long before the timeout that a receiver announces (`Keep-Alive: timeout=5`). */
const idleMarginMs = 1_000;

interface ConnectionTarget {
  readonly origin: string;
  /** The owner of the connection's client certificate. */
  readonly owner: string | null;
}

export interface Connection extends ConnectionTarget {
  readonly socket: Socket;
  readonly client: Client;
  readonly address: string | null;
  readonly openedAt: number;
}

// Not undici's pools: they open sockets without the guard and never forget an origin.
export function createConnection(
  { origin, owner }: ConnectionTarget,
  socket: Socket,
  address: string | null,
): Connection {
  let isUsed = false;
  const client = new Client(origin, {
    connect: (_options, callback) => {
      // Undici expects the callback in a later tick, and connects again if the socket is gone.
      queueMicrotask(() => {
        if (isUsed || socket.destroyed) {
          callback(new SendFault('CONNECTION_STALE', 'the connection is closed'), null);
          return;
        }
        isUsed = true;
        callback(null, socket);
      });
    },
    allowH2: false, // an h2 response has no size limit in undici 7
    pipelining: 1,
    maxRequestsPerClient: 0,
    maxHeaderSize: headerBytesMax,
    keepAliveTimeout: idleMsMax,
    keepAliveMaxTimeout: idleMsMax,
    keepAliveTimeoutThreshold: idleMarginMs,
    headersTimeout: 0, // the deadline of the attempt bounds all phases together
    bodyTimeout: 0,
    maxResponseSize: -1, // the exchange stops reading by itself and keeps the status
    strictContentLength: true,
  });
  return { origin, owner, socket, client, address, openedAt: performance.now() };
}

export function destroyConnection({ client, socket }: Connection, reason?: Error): void {
  void client.destroy(reason ?? null);
  socket.destroy();
}

interface IdlePoolLimits {
  readonly idlePerOriginMax: number;
  readonly idleMax: number;
}

/** A pool of idle connections. Beyond its limits, the longest idle connection is closed for a newer one. */
export class IdlePool {
  readonly #limits: IdlePoolLimits;
  readonly #oldestFirst = new Set<Connection>();
  readonly #watched = new WeakSet<Connection>();
  #closed = false;

  constructor(limits: IdlePoolLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#oldestFirst.size;
  }

  take({ origin, owner }: ConnectionTarget): Connection | null {
    for (const connection of this.#idleTo(origin).toReversed()) {
      if (connection.owner !== owner) continue;
      this.#oldestFirst.delete(connection);
      if (isUsable(connection)) return connection;
      destroyConnection(connection);
    }
    return null;
  }

  /** Keeps a connection whose last response was read to its end, or closes it. */
  put(connection: Connection): void {
    if (this.#closed || !isUsable(connection)) {
      destroyConnection(connection);
      return;
    }
    this.#oldestFirst.add(connection);
    // A connection returns after each use and must not collect a listener each time.
    if (!this.#watched.has(connection)) {
      this.#watched.add(connection);
      connection.socket.once('close', () => this.#oldestFirst.delete(connection));
    }
    const idle = this.#idleTo(connection.origin);
    if (idle.length > this.#limits.idlePerOriginMax) this.#evict(idle[0]);
    if (this.size > this.#limits.idleMax) this.#evict(this.#oldestFirst.values().next().value);
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#oldestFirst) this.#evict(connection);
  }

  #idleTo(origin: string): Connection[] {
    return [...this.#oldestFirst].filter((connection) => connection.origin === origin);
  }

  #evict(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#oldestFirst.delete(connection);
    destroyConnection(connection);
  }
}

// After an early response, bytes of the request may still be unwritten and never be read.
function isUsable({ socket, openedAt }: Connection): boolean {
  const isWritten = socket.writableLength === 0;
  return isWritten && !socket.destroyed && performance.now() - openedAt < connectionAgeMsMax;
}
