import { coalesce } from '../concurrency/coalesce.ts';
import { SharedLimit } from '../concurrency/shared-limit.ts';
import { throttleById } from '../concurrency/throttle-by-id.ts';
import { processLimits } from '../limits.ts';
import type { IssuedToken } from '../model/token.ts';
import type { Store } from '../mongo/connect.ts';
import { isDuplicateKey } from '../mongo/write-errors.ts';
import type { Clock } from '../platform/clock.ts';
import { tokenLog } from '../platform/logger.ts';
import { instruments } from '../telemetry/instruments.ts';

const writes = { itemsPerCallMax: 1_000, concurrentCallsMax: 1, lingerMs: 500 };
const logEveryMs = 60_000;
const tooMany = new Error('too many tokens wait to be written');

/**
 * Writes the rows of issued tokens in groups. Sign-ins do not wait for it, so a row can be missing: only the list needs
 * it, because a token is revoked by its ID.
 */
export class TokenRecorder {
  readonly #waiting = new SharedLimit(processLimits.tokensWaitingMax);
  readonly #isLogDue = throttleById(logEveryMs);
  readonly #clock: Clock;
  readonly #write: (token: IssuedToken) => Promise<void>;
  #latest: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: Clock) {
    this.#clock = clock;
    this.#write = coalesce(writes, async (tokens) => {
      await insertTokens(store, tokens);
      return tokens.map(() => undefined);
    });
  }

  record(token: IssuedToken): void {
    const { appUid } = token;
    if (!this.#waiting.hasRoom(appUid)) return this.#leaveOut(appUid, tooMany);
    this.#waiting.take(appUid);
    // Groups are written one after another, so the latest row is the last one written.
    this.#latest = this.#write(token)
      .catch((error: unknown) => this.#leaveOut(appUid, error))
      .finally(() => this.#waiting.release(appUid));
  }

  /** Resolves when all rows so far are written, or left out. */
  written(): Promise<void> {
    return this.#latest;
  }

  #leaveOut(appUid: string, error: unknown): void {
    instruments.tokensNotListed.add(1, {});
    if (this.#isLogDue(appUid, this.#clock.now(), null)) {
      tokenLog.warn({ err: error, appUid }, 'tokens.not_listed');
    }
  }
}

async function insertTokens(store: Store, tokens: readonly IssuedToken[]): Promise<void> {
  try {
    await store.tokens.insertMany(tokens, { ordered: false, writeConcern: { w: 1 } });
  } catch (error) {
    // A token that was revoked before this write has a row, which must stay; the others are inserted.
    if (!isDuplicateKey(error)) throw error;
  }
}
