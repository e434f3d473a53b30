// Turns the host of a URL into addresses that have all passed the guard.
import { isIP } from 'node:net';
import type { AddressGuard } from './address-guard.ts';
import { untilAborted } from './attempt-deadline.ts';
import { isLocalhostName, withoutTrailingDot } from './host-name.ts';
import { SendFault } from './send-fault.ts';

/** Asks DNS for every address of a name. Injected in tests. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

export interface HostResolver {
  /**
   * The vetted addresses of a host: a literal itself, a name by one lookup. One refused address
   * refuses the whole answer, since an honest receiver has no private ones beside its public ones.
   */
  addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]>;
}

/** Makes a resolver whose answers have passed the guard. `host` is given without brackets. */
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

/** Waiters for one name share one lookup: a burst to one receiver asks once. */
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
      // A lookup that outlived its waiter may never end, so the next attempt asks anew.
      if (signal.aborted) forget(host, work);
    }
  };
}

/** RFC 6761 §6.3: localhost is answered with loopback and never asked of DNS. */
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

/** Throws a SendFault with code ADDRESS_BLOCKED when the guard refuses the address. */
export function requireAllowed(address: string, guard: AddressGuard): void {
  const verdict = guard.verdict(address);
  if (!verdict.allowed) throw new SendFault('ADDRESS_BLOCKED', `${address}: ${verdict.reason}`);
}
