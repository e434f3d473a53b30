import { isIP } from 'node:net';
import type { AddressGuard } from './address-guard.ts';
import { untilAborted } from './attempt-deadline.ts';
import { isLocalhostName, withoutTrailingDot } from './host-name.ts';
import { SendFault } from './send-fault.ts';

export type Resolver = (hostname: string) => Promise<readonly string[]>;

export interface HostResolver {
  /**
   * Returns the allowed addresses, at least one. Throws the SendFault `ADDRESS_BLOCKED` for a literal address, and
   * `ADDRESSES_REFUSED` for a name, whose addresses may change.
   */
  addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]>;
}

export function createHostResolver(guard: AddressGuard, resolve: Resolver): HostResolver {
  const lookupShared = shareLookups(resolve);

  return {
    async addressesOf(host, signal) {
      if (isIP(host) !== 0) return [requireAllowed(host, guard)];
      if (isLocalhostName(withoutTrailingDot(host))) return loopbackOf(guard);
      return allowedOf(await lookupShared(host, signal), guard);
    },
  };
}

/** A burst of requests to one name shares one lookup. */
function shareLookups(resolve: Resolver) {
  const inFlight = new Map<string, Promise<readonly string[]>>();

  function start(host: string): Promise<readonly string[]> {
    const work = resolve(host).finally(() => forget(host, work));
    inFlight.set(host, work);
    return work;
  }

  function forget(host: string, work: Promise<readonly string[]>): void {
    if (inFlight.get(host) === work) inFlight.delete(host);
  }

  return async (host: string, signal: AbortSignal): Promise<readonly string[]> => {
    const work = inFlight.get(host) ?? start(host);
    try {
      return await untilAborted(work, signal);
    } finally {
      // An aborted lookup may never end, so the next attempt starts another.
      if (signal.aborted) forget(host, work);
    }
  };
}

// RFC 6761 §6.3: localhost is loopback and never looked up in DNS.
function loopbackOf(guard: AddressGuard): readonly string[] {
  const allowed = ['127.0.0.1', '::1'].filter((address) => guard.verdict(address).allowed);
  return allowed.length > 0 ? allowed : [requireAllowed('127.0.0.1', guard)];
}

function allowedOf(addresses: readonly string[], guard: AddressGuard): readonly string[] {
  if (addresses.length === 0) throw new SendFault('ADDRESS_ABSENT', 'the name has no address');
  const verdicts = addresses.map((address) => ({ address, ...guard.verdict(address) }));
  const allowed = verdicts.filter((verdict) => verdict.allowed);
  if (allowed.length > 0) return allowed.map(({ address }) => address);
  throw new SendFault('ADDRESSES_REFUSED', refusalOf(verdicts[0]));
}

function refusalOf(verdict: { address: string; reason?: string } | undefined): string {
  return `${verdict?.address}: ${verdict?.reason}`;
}

/** Returns the address. Throws the SendFault `ADDRESS_BLOCKED`. */
export function requireAllowed(address: string, guard: AddressGuard): string {
  const verdict = guard.verdict(address);
  if (verdict.allowed) return address;
  throw new SendFault('ADDRESS_BLOCKED', refusalOf({ address, ...verdict }));
}
