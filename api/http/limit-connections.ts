// Bounds the connections of a server, in all and of an address, and makes room among the idle ones.
import type { Server } from 'node:http';
import { httpLog } from '../../lib/platform/logger.ts';
import { createAddressShares } from './address-shares.ts';

export interface ConnectionLimits {
  connectionsMax: number;
  /** How many of them one address (IPv6: a /64) may hold, or null for any number. */
  connectionsPerAddressMax: number | null;
}

const reportDroppedEveryMs = 1_000;
/** A client that is broken, or means harm, can be at its limit for days. */
const reportRefusedEveryMs = 60_000;

/** Closes connections beyond either limit at once. */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  limitAll(server, limits.connectionsMax);
  const { connectionsPerAddressMax } = limits;
  if (connectionsPerAddressMax !== null) limitOfAddress(server, connectionsPerAddressMax);
}

/**
 * When connections run out, those that idle between two requests go, too, so that nobody keeps
 * others out by holding connections open; one log line a second tells of it.
 */
function limitAll(server: Server, connectionsMax: number): void {
  server.maxConnections = connectionsMax;
  let dropped = 0;
  server.on('drop', () => {
    dropped += 1;
    if (dropped > 1) return;
    server.closeIdleConnections();
    const tell = (): void => {
      httpLog.warn({ dropped, connectionsMax }, 'connections.dropped');
      dropped = 0;
    };
    setTimeout(tell, reportDroppedEveryMs).unref();
  });
}

/**
 * Whoever holds its share gets no more, and nobody else's connections are closed for it. The first
 * refusal is logged, then one line a minute for all since.
 */
function limitOfAddress(server: Server, connectionsPerAddressMax: number): void {
  const shares = createAddressShares(connectionsPerAddressMax);
  let refused = 0;
  let toldAtMs = -Infinity;
  server.on('connection', (socket) => {
    const remoteAddress = socket.remoteAddress ?? null;
    const free = shares.take(remoteAddress);
    if (free !== null) {
      socket.once('close', free);
      return;
    }
    socket.destroy();
    refused += 1;
    if (performance.now() - toldAtMs < reportRefusedEveryMs) return;
    httpLog.warn({ refused, remoteAddress, connectionsPerAddressMax }, 'connections.refused');
    toldAtMs = performance.now();
    refused = 0;
  });
}
