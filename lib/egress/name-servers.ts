// Asks the name servers of the system for every address of a name.
import { Resolver as DnsClient } from 'node:dns/promises';
import { type Clock, systemClock } from '../platform/clock.ts';
import { errorCode } from '../platform/error-code.ts';
import type { Resolver } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';

/**
 * Of each name server; the second and last try takes twice as long. With one name server that leaves
 * 2 s of an attempt to the receiver, with several a dead one costs a second.
 */
const firstTryMs = 1_000;
const tries = 2;

/** The name servers of the system may change while a process runs, so they are read again after so long. */
const readAgainAfterMs = 60_000;

export interface NameServersOptions {
  /** Gives those to ask (`address:port`); without it those of the system are asked. */
  readonly servers?: () => readonly string[];
  readonly clock?: Clock;
}

/**
 * Makes a resolver over the name servers of the system, or over the given ones, read once a minute.
 * Not `dns.lookup`, which holds one of the four threads of a process until its name servers answer:
 * four names whose servers stay silent would stop every lookup. Two things follow, both welcome:
 * the hosts file is not read, and search domains, which lead into the cluster, are not tried.
 * The resolver rejects with ENOTFOUND for a name that is not there, with the SendFault
 * `NAME_UNRESOLVED` when nobody answered; a name without addresses gives none.
 */
export function createNameServerResolver(options: NameServersOptions = {}): Resolver {
  const { servers, clock = systemClock } = options;
  let latest = newClient(servers);
  let readAt = clock.now();
  return async (hostname) => {
    const now = clock.now();
    if (now.getTime() - readAt.getTime() >= readAgainAfterMs) {
      const next = newClient(servers);
      // What the former one was asked it still answers.
      if (!isFallback(next) || isFallback(latest)) [latest, readAt] = [next, now];
    }
    const client = latest;
    // IPv4 first: hosts without a way to IPv6 are common, and some notice only after a second.
    const [ipv4, ipv6] = await Promise.allSettled([
      client.resolve4(hostname),
      client.resolve6(hostname),
    ]);
    const addresses = [...answersOf(ipv4), ...answersOf(ipv6)];
    if (addresses.length > 0) return addresses;
    for (const answer of [ipv4, ipv6]) {
      // ENODATA: the name is there, but has no address of this family.
      if (answer.status === 'rejected' && errorCode(answer.reason) !== 'ENODATA') {
        throw toFault(answer.reason);
      }
    }
    return [];
  };
}

/** c-ares asks this host where it could not read the servers: no descriptor was left, or the file was being written. */
function isFallback(client: DnsClient): boolean {
  const [server, ...others] = client.getServers();
  return others.length === 0 && server === '127.0.0.1';
}

function newClient(servers: NameServersOptions['servers']): DnsClient {
  const client = new DnsClient({ timeout: firstTryMs, tries });
  if (servers !== undefined) client.setServers(servers());
  return client;
}

function answersOf(answer: PromiseSettledResult<readonly string[]>): readonly string[] {
  return answer.status === 'fulfilled' ? answer.value : [];
}

/** The codes of a name server that is away are those of a receiver that is, so they are replaced. */
function toFault(reason: unknown): unknown {
  if (errorCode(reason) === 'ENOTFOUND') return reason;
  return new SendFault('NAME_UNRESOLVED', `no name server answered (${errorCode(reason)})`);
}
