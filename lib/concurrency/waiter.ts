// Waits are counted in ticks, so that time in which the process was frozen counts as one.
const tickMs = 100;

export interface WaitOptions {
  readonly waitMsMax?: number;
  /** Whether the wait counts at present; by default it always does. */
  readonly isCounted?: () => boolean;
  readonly signal?: AbortSignal | undefined;
  /** Creates the error of a wait that took too long. */
  readonly refusal: (reason: string) => Error;
  /** Called when the wait ends, however it ends. */
  readonly onEnd: () => void;
}

/** A caller that waits until it is granted, refused or aborted. */
export class Waiter {
  /** Resolves when granted; rejects with the refusal, or with the signal's reason. */
  readonly granted: Promise<void>;
  readonly grant: () => void;
  readonly refuse: (error: unknown) => void;

  constructor(options: WaitOptions) {
    const { waitMsMax = Infinity, isCounted = () => true, signal, refusal, onEnd } = options;
    const { promise, resolve, reject } = promiseParts();
    const end = (settle: () => void): void => {
      clearInterval(timer);
      signal?.removeEventListener('abort', onAbort);
      onEnd();
      settle();
    };
    const onAbort = (): void => this.refuse(signal?.reason);
    let ticksLeft = Math.ceil(waitMsMax / tickMs);
    const onTick = (): void => {
      if (isCounted()) ticksLeft -= 1;
      if (ticksLeft <= 0) this.refuse(refusal(`no permit was free within ${waitMsMax} ms`));
    };
    this.granted = promise;
    this.grant = () => end(resolve);
    this.refuse = (error) => end(() => reject(error));
    const timer = setInterval(onTick, Math.min(tickMs, waitMsMax));
    signal?.addEventListener('abort', onAbort);
  }
}

function promiseParts() {
  let resolve = (): void => undefined;
  let reject = (_error: unknown): void => undefined;
  const promise = new Promise<void>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}
