// Counts the connections of each address, for nobody to hold more than a share of them.
import { networkOf } from '../../lib/egress/network-of.ts';

export interface AddressShares {
  /** Takes a place of an address; gives what frees it again, or null where it has its share. */
  take(address: string | null): (() => void) | null;
  /** How many addresses hold a place. */
  addresses(): number;
}

/** Makes shares of so many places an address; the addresses of an IPv6 /64 have one together. */
export function createAddressShares(placesMax: number): AddressShares {
  const taken = new Map<string, number>();
  return {
    take(address) {
      const network = networkOf(address);
      const places = taken.get(network) ?? 0;
      if (places >= placesMax) return null;
      taken.set(network, places + 1);
      return () => {
        const left = (taken.get(network) ?? 0) - 1;
        // An address without connections leaves nothing behind.
        if (left > 0) taken.set(network, left);
        else taken.delete(network);
      };
    },
    addresses: () => taken.size,
  };
}
