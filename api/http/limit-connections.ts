import type { Server } from 'node:http';
import { networkOf, siteOf } from '../../lib/egress/network-of.ts';
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
  if (connectionsPerAddressMax === null) return;
  limitOfAddress(server, { connectionsPerAddressMax, connectionsMax: limits.connectionsMax });
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

function limitOfAddress(
  server: Server,
  {
    connectionsMax,
    connectionsPerAddressMax,
  }: { connectionsMax: number; connectionsPerAddressMax: number },
): void {
  const shares = createAddressShares(connectionsPerAddressMax, connectionsMax);
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

// The rest is for others: a site has 65,536 addresses of /64.
const shareOfSite = 3 / 4;

/** Limits the slots of an address, and of an IPv6 /48 to three quarters of all slots. */
export function createAddressShares(slotsMax: number, slotsInAll: number) {
  const taken = new Map<string, number>();
  const siteSlotsMax = Math.max(slotsMax, Math.floor(slotsInAll * shareOfSite));
  const add = (name: string, count: number): void => {
    const left = (taken.get(name) ?? 0) + count;
    // An address without connections takes no memory.
    if (left > 0) taken.set(name, left);
    else taken.delete(name);
  };
  return {
    /** Takes a slot. Returns the function that frees it, or null if none is left. */
    take(address: string | null): (() => void) | null {
      const [network, site] = [networkOf(address), `site ${siteOf(address)}`];
      const isFull = (name: string, max: number): boolean => (taken.get(name) ?? 0) >= max;
      if (isFull(network, slotsMax) || isFull(site, siteSlotsMax)) return null;
      const names = [network, site];
      for (const name of names) add(name, 1);
      return () => {
        for (const name of names) add(name, -1);
      };
    },
    /** The addresses and sites with connections. */
    names: () => taken.size,
  };
}
