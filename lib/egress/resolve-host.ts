import { isIP } from 'node:net';
import type { AddressGuard } from './address-guard.ts';
import { untilAborted } from './attempt-deadline.ts';
import { isLocalhostName, withoutTrailingDot } from './host-name.ts';
import { SendFault } from './send-fault.ts';

export type Resolver = (hostname: string) => Promise<readonly string[]>;

export interface HostResolver {
  /** One refused address refuses all: no honest receiver has private ones beside public ones. */
  addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]>;
}

export function createHostResolver(guard: AddressGuard, resolve: Resolver): HostResolver {
  const lookupShared = shareLookups(resolve);

  return {
    async addressesOf(host, signal) {
      if (isIP(host) !== 0) return vet([host], guard);
      if (isLocalhostName(withoutTrailingDot(host))) return vet(loopbackOf(guard), guard);
      return vet(await lookupShared(host, signal), guard);
    },
  };
}

/** A burst of requests to one name shares one lookup. */
function shareLookups(resolve: Resolver) {
  const underWay = new Map<string, Promise<readonly string[]>>();

  function start(host: string): Promise<readonly string[]> {
    const work = resolve(host).finally(() => forget(host, work));
    underWay.set(host, work);
    return work;
  }

  function forget(host: string, work: Promise<readonly string[]>): void {
    if (underWay.get(host) === work) underWay.delete(host);
  }

  return async (host: string, signal: AbortSignal): Promise<readonly string[]> => {
    const work = underWay.get(host) ?? start(host);
    try {
      return await untilAborted(work, signal);
    } finally {
      // Such a lookup may never end, so the next attempt starts another.
      if (signal.aborted) forget(host, work);
    }
  };
}

// RFC 6761 §6.3: localhost is loopback and never asked of DNS.
function loopbackOf(guard: AddressGuard): readonly string[] {
  const loopback = ['127.0.0.1', '::1'];
  const usable = loopback.filter((address) => guard.verdict(address).allowed);
  return usable.length === 0 ? loopback : usable;
}

function vet(addresses: readonly string[], guard: AddressGuard): readonly string[] {
  if (addresses.length === 0) throw new SendFault('ADDRESS_ABSENT', 'the name has no address');
  for (const address of addresses) requireAllowed(address, guard);
  return addresses;
}

export function requireAllowed(address: string, guard: AddressGuard): void {
  const verdict = guard.verdict(address);
  if (!verdict.allowed) throw new SendFault('ADDRESS_BLOCKED', `${address}: ${verdict.reason}`);
}
