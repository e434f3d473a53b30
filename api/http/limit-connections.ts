import type { Server } from 'node:http';
import { networkOf } from '../../lib/egress/network-of.ts';
import { httpLog } from '../../lib/platform/logger.ts';

export interface ConnectionLimits {
  connectionsMax: number;
  /** The maximum per address (IPv6: per /64), or null for no limit. */
  connectionsPerAddressMax: number | null;
}

const reportDroppedEveryMs = 1_000;
// A broken or hostile client can stay at its limit for days.
const reportRefusedEveryMs = 60_000;

export function limitConnections(server: Server, limits: ConnectionLimits): void {
  limitAll(server, limits.connectionsMax);
  const { connectionsPerAddressMax } = limits;
  if (connectionsPerAddressMax !== null) limitOfAddress(server, connectionsPerAddressMax);
}

/** At the limit, idle connections are closed, so that nobody can keep others out by holding them. */
function limitAll(server: Server, connectionsMax: number): void {
  server.maxConnections = connectionsMax;
  let dropped = 0;
  server.on('drop', () => {
    dropped += 1;
    if (dropped > 1) return;
    server.closeIdleConnections();
    const report = (): void => {
      httpLog.warn({ dropped, connectionsMax }, 'connections.dropped');
      dropped = 0;
    };
    setTimeout(report, reportDroppedEveryMs).unref();
  });
}

function limitOfAddress(server: Server, connectionsPerAddressMax: number): void {
  const shares = createAddressShares(connectionsPerAddressMax);
  let refused = 0;
  let reportedAtMs = -Infinity;
  server.on('connection', (socket) => {
    const remoteAddress = socket.remoteAddress ?? null;
    const free = shares.take(remoteAddress);
    if (free !== null) {
      socket.once('close', free);
      return;
    }
    socket.destroy();
    refused += 1;
    if (performance.now() - reportedAtMs < reportRefusedEveryMs) return;
    httpLog.warn({ refused, remoteAddress, connectionsPerAddressMax }, 'connections.refused');
    reportedAtMs = performance.now();
    refused = 0;
  });
}

export function createAddressShares(slotsMax: number) {
  const taken = new Map<string, number>();
  return {
    /** Takes a slot. Returns the function that frees it, or null if none is left. */
    take(address: string | null): (() => void) | null {
      const network = networkOf(address);
      const used = taken.get(network) ?? 0;
      if (used >= slotsMax) return null;
      taken.set(network, used + 1);
      return () => {
        const left = (taken.get(network) ?? 0) - 1;
        // An address without connections takes no memory.
        if (left > 0) taken.set(network, left);
        else taken.delete(network);
      };
    },
    addresses: () => taken.size,
  };
}
