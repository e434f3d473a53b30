// How many requests go at once: a burst shares connections, and no receiver takes all there is.
import { SendFault } from './send-fault.ts';

export interface SendTurnsOptions {
  /** So many requests with one key go at once; the next wait. */
  atOnceMax: number;
  /** A request counts for so long at most: what still waits for a slow receiver costs nobody a turn. */
  holdMsMax: number;
  /**
   * Who waits longer is turned away where no request has ended meanwhile for as long as it counted. A
   * line in which none has for so long is slow: who would wait there behind as many as may go at once is
   * turned away at once. Without it no line is slow.
   */
  slowWaitMsMax?: number;
}

export interface EnterOptions {
  /** Who waits longer is turned away, to be sent later. */
  waitMsMax: number;
  /** Turned away at once from a slow line, also where it is a request's turn. */
  avoidsSlow?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A request's place among those that go at once. */
export interface Turn {
  /** Starts the time for which the request counts; until then it waits elsewhere and counts on. */
  readonly begin: () => void;
  readonly leave: () => void;
}

interface Line {
  active: number;
  /** When a request in it last ended while it counted, or the line began: it is quick until it is seen to be slow. */
  endedAt: number;
  /** The requests that wait, in the order in which they came; each is let go by its function. */
  readonly waiting: Set<() => void>;
}

/** Turns of requests, a line a key. A key without requests leaves no trace. */
export class SendTurns {
  readonly #options: SendTurnsOptions;
  readonly #lines = new Map<string, Line>();

  constructor(options: SendTurnsOptions) {
    this.#options = options;
  }

  /**
   * Resolves when it is a request's turn. Rejects with the SendFault `NO_TURN` when none came in
   * time, with the signal's reason when it aborts first.
   */
  async enter(key: string, options: EnterOptions): Promise<Turn> {
    const { atOnceMax, slowWaitMsMax = Infinity } = this.#options;
    const line = this.#lines.get(key) ?? newLine();
    const isSlow = performance.now() - line.endedAt > slowWaitMsMax;
    if (isSlow && (options.avoidsSlow || line.waiting.size >= atOnceMax)) throw noTurn();
    this.#lines.set(key, line);
    if (line.active < atOnceMax) line.active += 1;
    else await this.#wait(line, options);
    let holds = true;
    let timer: NodeJS.Timeout | undefined;
    const leave = (): void => {
      if (!holds) return;
      holds = false;
      clearTimeout(timer);
      this.#passOn(key, line);
    };
    return {
      begin: () => {
        if (holds) timer ??= setTimeout(leave, this.#options.holdMsMax);
      },
      leave: () => {
        // One that never began says nothing of the receiver.
        if (holds && timer !== undefined) line.endedAt = performance.now();
        leave();
      },
    };
  }

  async #wait(line: Line, { waitMsMax, signal }: EnterOptions): Promise<void> {
    const { slowWaitMsMax = waitMsMax } = this.#options;
    const since = performance.now();
    await new Promise<void>((resolve, reject) => {
      const end = (how: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        line.waiting.delete(go);
        how();
      };
      const go = (): void => end(resolve);
      const giveUp = (reason: unknown): void => end(() => reject(reason));
      const onAbort = (): void => giveUp(signal?.reason);
      const look = (): void => {
        const leftMs = since + waitMsMax - performance.now();
        if (leftMs <= 0 || line.endedAt <= since) giveUp(noTurn());
        else timer = setTimeout(look, leftMs);
      };
      let timer = setTimeout(look, Math.min(slowWaitMsMax, waitMsMax));
      signal?.addEventListener('abort', onAbort);
      line.waiting.add(go);
    });
  }

  /** Gives the place of a request that ended to the one that has waited longest. */
  #passOn(key: string, line: Line): void {
    const [next] = line.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    line.active -= 1;
    if (line.active === 0) this.#lines.delete(key);
  }
}

/**
 * Waits in one line after the other, no longer than `waitMsMax` in all, and gives the function to
 * call when the request has ended. A place in one line is kept while waiting in the next, so that a
 * key never has more requests in the next line than it may have at once. Rejects as `enter` does,
 * with no place kept.
 */
export async function enterLines(
  lines: readonly (readonly [turns: SendTurns, key: string])[],
  { waitMsMax, ...options }: EnterOptions,
): Promise<() => void> {
  const taken: Turn[] = [];
  const leave = (): void => {
    for (const turn of taken) turn.leave();
  };
  const until = performance.now() + waitMsMax;
  try {
    for (const [turns, key] of lines) {
      taken.push(await turns.enter(key, { ...options, waitMsMax: until - performance.now() }));
    }
  } catch (error) {
    leave();
    throw error;
  }
  for (const turn of taken) turn.begin();
  return leave;
}

function newLine(): Line {
  return { active: 0, endedAt: performance.now(), waiting: new Set() };
}

function noTurn(): SendFault {
  return new SendFault('NO_TURN', 'too many requests to this receiver are under way');
}
