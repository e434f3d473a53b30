// Bounds the concurrent requests to receivers: of a webhook, to an origin, in all.
import { observePermits } from '../concurrency/observe-permits.ts';
import { type Permit, Semaphore } from '../concurrency/semaphore.ts';
import { attemptLimits } from '../limits.ts';
import { instruments } from '../telemetry/instruments.ts';
import { startFairTimer } from './fair-timer.ts';
import { SendFault } from './send-fault.ts';

const { permitsPerWebhookMax, permitsPerOriginMax, permitsInAllMax } = attemptLimits;

export interface Requester {
  /** Without it the url counts. */
  readonly webhookUid?: string;
  /** Throttled immediately where the webhook is saturated and has no free permit. */
  readonly avoidsSaturated?: boolean;
  readonly signal?: AbortSignal;
}

export interface RequestPermit extends Permit {
  /** Starts the time after which the request is overdue. */
  readonly begin: () => void;
}

export class RequestPermits implements Disposable {
  readonly #perWebhook = new Semaphore(permitsPerWebhookMax, throttled);
  readonly #perOrigin = new Semaphore(permitsPerOriginMax, throttled);
  readonly #inAll = new Semaphore(permitsInAllMax, throttled);
  /** By webhook. */
  readonly #overdue = new Map<string, number>();
  readonly #stopsObserving = [
    observePermits('webhook', this.#perWebhook),
    observePermits('origin', this.#perOrigin),
    observePermits('process', this.#inAll),
  ];

  /** Waits at most 2 s. Throws the SendFault `THROTTLED`, or the signal's reason. */
  async acquire(url: URL, requester: Requester): Promise<RequestPermit> {
    const { webhookUid = url.href, avoidsSaturated = false, signal } = requester;
    const isSaturated = (this.#overdue.get(webhookUid) ?? 0) >= attemptLimits.saturatedFromRequests;
    // Retries are older, so they may wait, but few, to leave the worker's places to other webhooks.
    const queueMaxSaturated = avoidsSaturated ? 0 : permitsPerWebhookMax;
    const until = performance.now() + attemptLimits.permitWaitMsMax;
    const permits: Permit[] = [];
    let limit = 'webhook';
    try {
      for (const [name, semaphore, key, queueMax] of [
        ['webhook', this.#perWebhook, webhookUid, isSaturated ? queueMaxSaturated : Infinity],
        ['origin', this.#perOrigin, url.origin, Infinity],
        ['process', this.#inAll, '', Infinity],
      ] as const) {
        limit = name;
        const options = { queueMax, waitMsMax: until - performance.now(), signal };
        permits.push(await semaphore.acquire(key, options));
      }
    } catch (error) {
      releaseAll(permits);
      if (signal?.aborted !== true) instruments.throttled.add(1, { limit });
      throw error;
    }
    return this.#timed(webhookUid, permits);
  }

  /** Throttles all that wait, now and later. */
  endWaits(): void {
    for (const semaphore of [this.#perWebhook, this.#perOrigin, this.#inAll]) semaphore.endWaits();
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stopsObserving) stop();
  }

  #timed(webhookUid: string, permits: readonly Permit[]): RequestPermit {
    const [, ...shared] = permits;
    let isOverdue = false;
    let stopTimer: (() => void) | undefined;
    const onOverdue = (): void => {
      isOverdue = true;
      this.#countOverdue(webhookUid, 1);
      releaseAll(shared);
    };
    return {
      begin: () => {
        stopTimer = startFairTimer(attemptLimits.overdueAfterMs, onOverdue);
      },
      release: () => {
        stopTimer?.();
        if (isOverdue) this.#countOverdue(webhookUid, -1);
        isOverdue = false;
        releaseAll(permits);
      },
    };
  }

  #countOverdue(webhookUid: string, change: 1 | -1): void {
    const count = (this.#overdue.get(webhookUid) ?? 0) + change;
    if (count === 0) this.#overdue.delete(webhookUid);
    else this.#overdue.set(webhookUid, count);
  }
}

function releaseAll(permits: readonly Permit[]): void {
  for (const permit of permits) permit.release();
}

function throttled(): SendFault {
  return new SendFault('THROTTLED', 'too many requests to this receiver are under way');
}
