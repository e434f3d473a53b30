import { Resolver as DnsClient } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../platform/clock.ts';
import { errorCode } from '../platform/error-code.ts';
import type { Resolver } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';

// The second try takes twice as long. With one name server that leaves 2 s of an attempt for the receiver.
const firstTryMs = 1_000;
const tries = 2;

const readAgainAfterMs = 60_000;

// Some name servers drop IPv6 queries (RFC 4074 §4.1): with an IPv4 address at hand, waiting longer is not worth it.
const ipv6WaitMs = 500;

interface NameServersOptions {
  /** Name servers instead of the system's, as `address:port`. */
  readonly servers?: () => readonly string[];
  readonly clock?: Clock;
}

/** Creates a resolver that rejects with ENOTFOUND, or with the SendFault `NAME_UNRESOLVED` if no server responded. */
export function createNameServerResolver(options: NameServersOptions = {}): Resolver {
  const { servers, clock = systemClock } = options;
  let latest = newClient(servers);
  let readAt = clock.now();
  return async (hostname) => {
    const now = clock.now();
    // The absolute value, so that a clock set back does not keep old servers.
    if (Math.abs(now.getTime() - readAt.getTime()) >= readAgainAfterMs) {
      const next = newClient(servers);
      if (!isFallback(next) || isFallback(latest)) [latest, readAt] = [next, now];
    }
    const client = latest;
    // IPv4 first: many hosts have no route to IPv6, and some notice that only after a second.
    const [ipv4, ipv6] = await resolveBoth(client, hostname);
    const addresses = [...addressesIn(ipv4), ...addressesIn(ipv6)];
    if (addresses.length > 0) return addresses;
    for (const result of [ipv4, ipv6]) {
      if (result.status === 'rejected' && errorCode(result.reason) !== 'ENODATA') {
        throw toFault(result.reason);
      }
    }
    return [];
  };
}

type LookupResult = PromiseSettledResult<readonly string[]>;

async function resolveBoth(
  client: DnsClient,
  hostname: string,
): Promise<[LookupResult, LookupResult]> {
  const ipv6Lookup = Promise.allSettled([client.resolve6(hostname)]);
  const [ipv4] = await Promise.allSettled([client.resolve4(hostname)]);
  const isEnough = addressesIn(ipv4).length > 0;
  const [ipv6] = await (isEnough ? Promise.race([ipv6Lookup, noIpv6Result()]) : ipv6Lookup);
  return [ipv4, ipv6];
}

async function noIpv6Result(): Promise<[LookupResult]> {
  return sleep(ipv6WaitMs, [{ status: 'fulfilled', value: [] }], { ref: false });
}

// c-ares falls back to this host if it could not read the servers (no descriptor, half-written file).
function isFallback(client: DnsClient): boolean {
  const [server, ...others] = client.getServers();
  return others.length === 0 && server === '127.0.0.1';
}

// Not `dns.lookup`: four unresponsive names would block its threads, and search domains lead into the cluster.
function newClient(servers: NameServersOptions['servers']): DnsClient {
  const client = new DnsClient({ timeout: firstTryMs, tries });
  if (servers !== undefined) client.setServers(servers());
  return client;
}

function addressesIn(result: LookupResult): readonly string[] {
  return result.status === 'fulfilled' ? result.value : [];
}

// Otherwise an unavailable name server would have the same code as an unavailable receiver.
function toFault(reason: unknown): unknown {
  if (errorCode(reason) === 'ENOTFOUND') return reason;
  return new SendFault('NAME_UNRESOLVED', `no name server responded (${errorCode(reason)})`);
}
