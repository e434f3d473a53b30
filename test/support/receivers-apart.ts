// Receivers in a separate process, so that the load generator does not slow them down.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Arrival {
  /** The name of the webhook, from its URL. */
  readonly name: string;
  readonly eventId: string;
  readonly attempt: number;
  /** Comparable with `nowMs` of other processes. */
  readonly atMs: number;
}

export type FromReceivers =
  { readonly ports: number[] } | { readonly arrivals: Arrival[]; readonly mostUnanswered: number };

type Manner = 'quick' | 'slow' | 'hangs' | 'fails' | 'fails-once';

export interface ReceiversApart extends AsyncDisposable {
  /** Returns the URL of a webhook. `slow` takes 900 ms, `fails-once` refuses each first attempt. */
  urlOf(webhook: { manner: Manner; name: string; origin?: number }): string;
  /** Reports arrivals until the returned function is called. */
  watch(take: (arrivals: readonly Arrival[], mostUnanswered: number) => void): () => void;
}

/** Starts receivers at that many origins. */
export async function startReceiversApart(originCount: number): Promise<ReceiversApart> {
  const module = fileURLToPath(new URL('receiver-process.ts', import.meta.url));
  const child = fork(module, [String(originCount)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [first] = (await once(child, 'message')) as [FromReceivers];
  const ports = 'ports' in first ? first.ports : [];
  return {
    urlOf: ({ manner, name, origin = 0 }) =>
      `http://127.0.0.1:${ports[origin % originCount]}/${manner}/${name}`,
    watch(take) {
      const onMessage = (message: FromReceivers): void => {
        if ('arrivals' in message) take(message.arrivals, message.mostUnanswered);
      };
      child.on('message', onMessage);
      return () => child.off('message', onMessage);
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
