// How many requests go at once: a burst shares connections, and no receiver takes all there is.
import { startFairTimer } from './fair-timer.ts';
import { SendFault } from './send-fault.ts';

export interface SendTurnsOptions {
  /** So many requests with one key go at once; the next wait. */
  atOnceMax: number;
  /** A request counts for so long at most. Then it is late, and costs nobody a turn. */
  holdMsMax: number;
  /**
   * Who waits longer is turned away where requests are late and none has ended in time meanwhile. Without
   * it no line is slow.
   */
  slowWaitMsMax?: number;
}

export interface EnterOptions {
  /** Who waits longer is turned away, to be sent later. */
  waitMsMax: number;
  signal?: AbortSignal | undefined;
}

/** A request's place among those that go at once. */
export interface Turn {
  /** Starts the time for which the request counts. One that has not begun counts, and is never late. */
  readonly begin: () => void;
  readonly leave: () => void;
}

interface Waiter {
  readonly go: () => void;
  readonly giveUp: (reason: unknown) => void;
}

interface Line {
  /** The requests that count. */
  active: number;
  /** Those that are under way and count no longer. */
  late: number;
  /** When one last ended while it counted. */
  endedInTimeAt: number;
  /** In the order in which they came. */
  readonly waiting: Set<Waiter>;
}

/** Turns of requests, a line a key. A key without requests leaves no trace. */
export class SendTurns {
  readonly #options: SendTurnsOptions;
  readonly #lines = new Map<string, Line>();
  #waitsEnded = false;

  constructor(options: SendTurnsOptions) {
    this.#options = options;
  }

  /** Tells whether as many requests are late as may go at once. */
  isSlow(key: string): boolean {
    const { atOnceMax, slowWaitMsMax } = this.#options;
    return slowWaitMsMax !== undefined && (this.#lines.get(key)?.late ?? 0) >= atOnceMax;
  }

  /**
   * Resolves when it is a request's turn. Rejects with the SendFault `NO_TURN` when none came in time,
   * or at once where as many as may go at once wait in a slow line already; with the signal's reason when
   * it aborts first.
   */
  async enter(key: string, options: EnterOptions): Promise<Turn> {
    const { atOnceMax } = this.#options;
    const line = this.#lines.get(key) ?? newLine();
    this.#lines.set(key, line);
    if (line.active < atOnceMax) line.active += 1;
    else if (this.#waitsEnded) throw noTurn();
    else if (this.isSlow(key) && line.waiting.size >= atOnceMax) throw noTurn();
    else await this.#wait(line, options);
    return this.#turnIn(line, key);
  }

  /** Turns away who waits, and from now on who would have to. */
  endWaits(): void {
    this.#waitsEnded = true;
    for (const { waiting } of this.#lines.values()) {
      for (const waiter of waiting) waiter.giveUp(noTurn());
    }
  }

  #turnIn(line: Line, key: string): Turn {
    let state: 'counts' | 'late' | 'left' = 'counts';
    let stopTimer: (() => void) | undefined;
    const onLate = (): void => {
      state = 'late';
      line.late += 1;
      this.#passOn(line, key);
    };
    return {
      begin: () => {
        stopTimer = startFairTimer(this.#options.holdMsMax, onLate);
      },
      leave: () => {
        stopTimer?.();
        if (state === 'counts') {
          // One that never began says nothing of the receiver.
          if (stopTimer !== undefined) line.endedInTimeAt = performance.now();
          this.#passOn(line, key);
        } else if (state === 'late') {
          line.late -= 1;
          this.#forgetEmpty(line, key);
        }
        state = 'left';
      },
    };
  }

  async #wait(line: Line, { waitMsMax, signal }: EnterOptions): Promise<void> {
    const { slowWaitMsMax = waitMsMax } = this.#options;
    const since = performance.now();
    await new Promise<void>((resolve, reject) => {
      const end = (how: () => void): void => {
        stopTimer();
        signal?.removeEventListener('abort', onAbort);
        line.waiting.delete(waiter);
        how();
      };
      const waiter: Waiter = {
        go: () => end(resolve),
        giveUp: (reason) => end(() => reject(reason)),
      };
      const onAbort = (): void => waiter.giveUp(signal?.reason);
      const look = (): void => {
        const leftMs = since + waitMsMax - performance.now();
        const isSilent = line.late > 0 && line.endedInTimeAt <= since;
        if (leftMs <= 0 || isSilent) waiter.giveUp(noTurn());
        else stopTimer = startFairTimer(leftMs, look);
      };
      let stopTimer = startFairTimer(Math.min(slowWaitMsMax, waitMsMax), look);
      signal?.addEventListener('abort', onAbort);
      line.waiting.add(waiter);
    });
  }

  /** Gives the place of a request that counts no longer to the one that has waited longest. */
  #passOn(line: Line, key: string): void {
    const [next] = line.waiting;
    if (next !== undefined) {
      next.go();
      return;
    }
    line.active -= 1;
    this.#forgetEmpty(line, key);
  }

  #forgetEmpty(line: Line, key: string): void {
    if (line.active === 0 && line.late === 0) this.#lines.delete(key);
  }
}

/**
 * Waits in one line after the other, no longer than `waitMsMax` in all, and gives one turn for all of
 * them. A place in one line is kept while waiting in the next, so that a key never has more requests in
 * the next line than it may have at once. Rejects as `enter` does, with no place kept.
 */
export async function enterLines(
  lines: readonly (readonly [turns: SendTurns, key: string])[],
  { waitMsMax, signal }: EnterOptions,
): Promise<Turn> {
  const taken: Turn[] = [];
  const leave = (): void => {
    for (const turn of taken) turn.leave();
  };
  const until = performance.now() + waitMsMax;
  try {
    for (const [turns, key] of lines) {
      taken.push(await turns.enter(key, { waitMsMax: until - performance.now(), signal }));
    }
  } catch (error) {
    leave();
    throw error;
  }
  const begin = (): void => {
    for (const turn of taken) turn.begin();
  };
  return { begin, leave };
}

function newLine(): Line {
  return { active: 0, late: 0, endedInTimeAt: -Infinity, waiting: new Set() };
}

export function noTurn(): SendFault {
  return new SendFault('NO_TURN', 'too many requests to this receiver are under way');
}
