import { isIP, type Socket } from 'node:net';

/** A name with thousands of addresses must not keep an attempt dialling. */
const addressesMax = 8;

/** How long one address has before the next is also dialled (RFC 8305 §5). */
const addressAttemptMs = 250;

/**
 * Returns at most eight addresses to dial: alternating families (RFC 8305 §4), IPv4 first because many hosts have no
 * route to IPv6. Each family starts at a random address, so that attempts do not all begin with a dead one.
 */
export function chooseAddresses(addresses: readonly string[], random = Math.random): string[] {
  const ofFamily = (family: number): string[] => {
    const list = [...new Set(addresses)].filter((address) => isIP(address) === family);
    const start = Math.floor(random() * list.length);
    return [...list.slice(start), ...list.slice(0, start)];
  };
  const [ipv4, ipv6] = [ofFamily(4), ofFamily(6)];
  const turns = Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_none, turn) => turn);
  return turns
    .flatMap((turn) => [ipv4[turn], ipv6[turn]])
    .filter((address) => address !== undefined)
    .slice(0, addressesMax);
}

interface Race {
  readonly open: (address: string, signal: AbortSignal) => Promise<Socket>;
  readonly signal: AbortSignal;
}

/**
 * Opens the addresses one after another until the first is connected, and ends the others. Throws the first fault, or
 * the error of `open` once the signal has aborted.
 */
export function raceAddresses(
  addresses: readonly string[],
  { open, signal }: Race,
): Promise<Socket> {
  const [only, ...others] = addresses;
  if (only !== undefined && others.length === 0) return open(only, signal);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const dialling = new Set<AbortController>();
    let waiting = [...addresses];
    let faults: unknown[] = [];
    let timer: NodeJS.Timeout | undefined;
    let isWon = false;

    const endAll = (reason: unknown): void => {
      waiting = [];
      clearTimeout(timer);
      for (const dial of dialling) dial.abort(reason);
    };
    const onAbort = (): void => {
      faults = [];
      endAll(signal.reason);
    };
    const dialNext = (): void => {
      clearTimeout(timer);
      const address = waiting.shift();
      if (address === undefined) {
        if (dialling.size === 0 && !isWon) lose();
        return;
      }
      const dial = new AbortController();
      dialling.add(dial);
      if (waiting.length > 0) timer = setTimeout(dialNext, addressAttemptMs);
      void dialOne(address, dial);
    };
    const dialOne = async (address: string, dial: AbortController): Promise<void> => {
      try {
        const socket = await open(address, dial.signal);
        dialling.delete(dial);
        if (isWon) socket.destroy();
        else win(socket);
      } catch (error) {
        dialling.delete(dial);
        faults.push(error);
        dialNext();
      }
    };
    const win = (socket: Socket): void => {
      isWon = true;
      signal.removeEventListener('abort', onAbort);
      endAll(undefined);
      resolve(socket);
    };
    const lose = (): void => {
      signal.removeEventListener('abort', onAbort);
      reject(faults[0]);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    dialNext();
  });
}
