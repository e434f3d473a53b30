// Limits concurrent requests to receivers, and gives each application and webhook its share.
import { FairQueue, type Owner } from '../concurrency/fair-queue.ts';
import { observePermits } from '../concurrency/observe-permits.ts';
import { SharedLimit } from '../concurrency/shared-limit.ts';
import { Waiter } from '../concurrency/waiter.ts';
import { attemptLimits } from '../limits.ts';
import { instruments } from '../telemetry/instruments.ts';
import { startFairTimer } from './fair-timer.ts';
import { SendFault } from './send-fault.ts';

export interface Requester extends Owner {
  readonly signal?: AbortSignal | undefined;
}

export interface RequestPermit {
  /** Starts the timer after which the request is overdue. */
  readonly begin: () => void;
  readonly release: () => void;
}

/** The limits that a request counts towards. */
interface Subject extends Owner {
  readonly origin: string;
}

interface WaitingRequest extends Subject {
  readonly grant: () => void;
  readonly refuse: (error: unknown) => void;
}

type Limit = 'webhook' | 'origin' | 'application' | 'process';

/**
 * The permits per webhook, per application at an origin, and in total, of which one application gets three quarters.
 */
export interface PermitLimits {
  readonly perWebhookMax: number;
  readonly perOriginMax: number;
  readonly inAllMax: number;
}

/** Grants permits. Waiting requests are served by application in turn, and within it by webhook in turn. */
export class RequestPermits {
  readonly #limits: PermitLimits;
  readonly #ofWebhooks = new SharedLimit(Infinity);
  readonly #ofOrigins = new SharedLimit(Infinity);
  readonly #inAll: SharedLimit;
  readonly #waiting = new FairQueue<WaitingRequest>();
  #waitsEnded = false;

  constructor(limits: PermitLimits) {
    this.#limits = limits;
    this.#inAll = new SharedLimit(limits.inAllMax);
  }

  /**
   * Waits at most 2 s for a permit of the webhook, and as long as it takes for the shared ones, which no receiver can
   * hold for more than a second. Throws the SendFault `THROTTLED`, or the signal's reason.
   */
  async acquire(url: URL, { appUid, webhookUid, signal }: Requester): Promise<RequestPermit> {
    // Applications that share an origin, such as a gateway, have separate permits there.
    const subject = { appUid, webhookUid, origin: `${appUid} ${url.origin}` };
    if (this.#limitOf(subject) === null) this.#hold(subject);
    else await this.#wait(subject, signal);
    return this.#permitOf(subject);
  }

  /** Throttles all waiting requests, now and later. */
  endWaits(): void {
    this.#waitsEnded = true;
    const waiting = Array.from(this.#waiting);
    for (const { refuse } of waiting) refuse(throttled());
  }

  observe(): () => void {
    const { perWebhookMax, perOriginMax } = this.#limits;
    const { max, maxOfKey } = this.#inAll;
    const shared = (): number => this.#inAll.held;
    const stops = [
      this.#observe('webhook', perWebhookMax, () => this.#ofWebhooks.held),
      this.#observe('origin', perOriginMax, shared),
      this.#observe('application', maxOfKey, shared),
      this.#observe('process', max, shared),
    ];
    return () => stops.forEach((stop) => stop());
  }

  #limitOf({ appUid, webhookUid, origin }: Subject): Limit | null {
    if (this.#ofWebhooks.heldBy(webhookUid) >= this.#limits.perWebhookMax) return 'webhook';
    if (this.#ofOrigins.heldBy(origin) >= this.#limits.perOriginMax) return 'origin';
    if (this.#inAll.hasRoom(appUid)) return null;
    return this.#inAll.held >= this.#inAll.max ? 'process' : 'application';
  }

  #hold(subject: Subject): void {
    this.#ofWebhooks.take(subject.webhookUid);
    this.#ofOrigins.take(subject.origin);
    this.#inAll.take(subject.appUid);
  }

  async #wait(subject: Subject, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#waitsEnded) throw throttled();
    const waiter = new Waiter({
      waitMsMax: attemptLimits.permitWaitMsMax,
      isCounted: () => this.#limitOf(subject) === 'webhook',
      signal,
      refusal: throttled,
      onEnd: () => this.#waiting.delete(request),
    });
    const { grant, refuse } = waiter;
    const request = { ...subject, grant, refuse };
    this.#waiting.add(request);
    try {
      await waiter.granted;
    } catch (error) {
      const limit = this.#limitOf(subject) ?? 'process';
      if (signal?.aborted !== true) instruments.throttled.add(1, { limit });
      throw error;
    }
  }

  #permitOf(subject: Subject): RequestPermit {
    let sharesHeld = true;
    let isReleased = false;
    let stopTimer = (): void => undefined;
    // An overdue request counts only towards its webhook, so that hanging receivers delay no others.
    const releaseShares = (): void => {
      sharesHeld = false;
      this.#ofOrigins.release(subject.origin);
      this.#inAll.release(subject.appUid);
      this.#grant();
    };
    return {
      begin: () => {
        stopTimer = startFairTimer(attemptLimits.overdueAfterMs, releaseShares);
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        stopTimer();
        this.#ofWebhooks.release(subject.webhookUid);
        if (sharesHeld) releaseShares();
        else this.#grant();
      },
    };
  }

  // The limits are nested, so the permits of one request are enough for exactly one other.
  #grant(): void {
    const next = this.#waiting.take((request) => this.#limitOf(request) === null);
    if (next === undefined) return;
    this.#hold(next);
    next.grant();
  }

  #observe(pool: Limit, max: number, held: () => number): () => void {
    const waiting = (): number =>
      [...this.#waiting].filter((request) => this.#limitOf(request) === pool).length;
    return observePermits(pool, { max, count: () => ({ held: held(), waiting: waiting() }) });
  }
}

function throttled(): SendFault {
  return new SendFault('THROTTLED', 'too many requests to this receiver are in flight');
}
