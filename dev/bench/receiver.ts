import { startHelper } from './helper-process.ts';

export type Arrival = [hookUid: string, call: number, atMs: number, isRefused: boolean];

/** The behaviour of a webhook. */
export interface Manners {
  delayMs?: number | undefined;
  /** Every n-th request gets a 500. */
  refuseEvery?: number | undefined;
}

export type FromReceiver = { port: number } | { arrivals: Arrival[] };

export interface Receiver extends AsyncDisposable {
  pid: number;
  /** Slow webhooks have another origin, so that they share no permits with the others. */
  urlOf(hookUid: string, manners?: Manners): string;
  /** Reports all arrivals from now on to `take`. */
  watch(take: (arrivals: readonly Arrival[]) => void): void;
}

/** Starts a receiver on a free port of the loopback address. */
export async function startReceiver(): Promise<Receiver> {
  let take: (arrivals: readonly Arrival[]) => void = () => undefined;
  let port = 0;
  const helper = await startHelper('receiver-process.ts', {
    onMessage: (said) => {
      const message = said as FromReceiver;
      if ('port' in message) ({ port } = message);
      else take(message.arrivals);
    },
  });
  return {
    pid: helper.pid,
    urlOf(hookUid, { delayMs = 0, refuseEvery = 0 } = {}) {
      const host = delayMs === 0 ? '127.0.0.1' : 'localhost';
      return `http://${host}:${port}/${delayMs}/${refuseEvery}/${hookUid}`;
    },
    watch(next) {
      take = next;
    },
    [Symbol.asyncDispose]: () => helper[Symbol.asyncDispose](),
  };
}
