// How many requests go at once: a burst shares connections, and no receiver takes all there is.
import { SendFault } from './send-fault.ts';

export interface SendTurnsOptions {
  /** So many requests with one key go at once; the next wait. */
  atOnceMax: number;
  /** A request counts for so long at most: what still waits for a slow receiver costs nobody a turn. */
  holdMsMax: number;
  /** Who waits longer is turned away, to be sent later. */
  waitMsMax: number;
}

interface Line {
  active: number;
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
   * Resolves when it is a request's turn, with the function to call when it has ended. Rejects with
   * the SendFault `NO_TURN` when none came in time, with the signal's reason when it aborts first.
   */
  async enter(key: string, signal?: AbortSignal): Promise<() => void> {
    const line = this.#lines.get(key) ?? { active: 0, waiting: new Set() };
    this.#lines.set(key, line);
    if (line.active < this.#options.atOnceMax) line.active += 1;
    else await this.#wait(line, signal);
    let holds = true;
    const leave = (): void => {
      if (!holds) return;
      holds = false;
      clearTimeout(timer);
      this.#passOn(key, line);
    };
    const timer = setTimeout(leave, this.#options.holdMsMax);
    return leave;
  }

  async #wait(line: Line, signal: AbortSignal | undefined): Promise<void> {
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
      const timer = setTimeout(() => giveUp(noTurn()), this.#options.waitMsMax);
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

function noTurn(): SendFault {
  return new SendFault('NO_TURN', 'too many requests to this receiver are under way');
}
