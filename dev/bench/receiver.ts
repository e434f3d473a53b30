// The driver's side of the receiver: starts its process and passes on what arrived there.
import { startHelper } from './helper-process.ts';

/** The webhook's uid, the number of the call that caused the event, and when its request came. */
export type Arrival = [hookUid: string, call: number, atMs: number];

/** What the receiver's process says. */
export type FromReceiver = { port: number } | { arrivals: Arrival[] };

export interface Receiver extends AsyncDisposable {
  pid: number;
  /**
   * Where a webhook's deliveries go; the receiver answers them after `delayMs`. A slow webhook has an
   * origin of its own, as another company's would: what the service allows an origin is not shared.
   */
  urlOf(hookUid: string, delayMs?: number): string;
  /** Has all arrivals from now on go to `take`. */
  watch(take: (arrivals: readonly Arrival[]) => void): void;
}

/** Starts a receiver on a free port of the loopback address. */
export async function startReceiver(): Promise<Receiver> {
  let take: (arrivals: readonly Arrival[]) => void = () => undefined;
  let listening: (port: number) => void = () => undefined;
  const port = new Promise<number>((resolve) => {
    listening = resolve;
  });
  const helper = await startHelper('receiver-process.ts', {
    onMessage: (said) => {
      const message = said as FromReceiver;
      if ('port' in message) listening(message.port);
      else take(message.arrivals);
    },
  });
  const portNumber = await port;
  return {
    pid: helper.pid,
    urlOf(hookUid, delayMs = 0) {
      const host = delayMs === 0 ? '127.0.0.1' : 'localhost';
      return `http://${host}:${portNumber}/${delayMs}/${hookUid}`;
    },
    watch(next) {
      take = next;
    },
    [Symbol.asyncDispose]: () => helper[Symbol.asyncDispose](),
  };
}
