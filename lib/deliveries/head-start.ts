import { SharedLimit } from '../concurrency/shared-limit.ts';
import { attemptLimits } from '../limits.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { type DeliveryKey, pairOf } from '../model/delivery.ts';
import type { EventDocument, HeadStartClaim } from '../model/event.ts';
import { partitionId, type PartitionKey, turnOf } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { deliveryLog } from '../platform/logger.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import type { DeliveryPorts } from './ports.ts';

const { headStartMs, headStartBytesMax, headStartOutcomesMax } = attemptLimits;
// A stop waits for the attempts under way, 5 s at most.
const neverAborted = new AbortController().signal;

interface Facts {
  event: EventDocument;
  webhook: WebhookDocument;
  readAt: Date;
}

/**
 * Makes first attempts right after the commit, those of a partition one after another, while Temporal still acknowledges
 * the workflow, which then takes up their outcomes. What it could not send it leaves to the workflow.
 */
export class HeadStart {
  readonly #ports: DeliveryPorts;
  /** By delivery; null where the workflow makes the attempt. */
  readonly #attempts = new Map<string, Promise<DeliveryOutcome | null>>();
  readonly #inFlight = new Set<Promise<unknown>>();
  /** Of each partition the attempt that was begun last. */
  readonly #lastOf = new Map<string, Promise<unknown>>();
  readonly #bytes = new SharedLimit(headStartBytesMax);
  #ended = false;

  constructor(ports: DeliveryPorts) {
    this.#ports = ports;
  }

  /** Returns the claim of an event to be recorded: until then other processes leave its first attempts to this one. */
  claim(): HeadStartClaim | null {
    if (this.#ended) return null;
    const until = new Date(this.#ports.clock.now().getTime() + headStartMs);
    return { by: this.#ports.processUid, until };
  }

  /** Begins the attempts of a committed event; `webhooks` were read after `readAt`. */
  begin(event: EventDocument, webhooks: readonly WebhookDocument[], readAt: Date): void {
    if (this.#ended || event.headStart === null) return;
    for (const webhook of webhooks) {
      if (this.#hasRoom(event.appUid)) this.#track({ event, webhook, readAt });
    }
  }

  /** Returns the outcome of a delivery, once its attempt has ended; null where this process made none. */
  async take(key: DeliveryKey): Promise<DeliveryOutcome | null> {
    const id = pairOf(key);
    const outcome = (await this.#attempts.get(id)) ?? null;
    // Not before: a workflow task that is repeated meanwhile would make the attempt again.
    this.#attempts.delete(id);
    return outcome;
  }

  /** Begins no more attempts, and resolves when those in flight are recorded. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#inFlight);
  }

  #hasRoom(appUid: string): boolean {
    return this.#bytes.hasRoom(appUid) && this.#ports.firstAttempts.hasRoom(appUid);
  }

  #track(facts: Facts): void {
    const { event, webhook } = facts;
    const id = pairOf({ eventId: event._id, webhookUid: webhook._id });
    const { appUid } = event;
    const bytes = event.body.length;
    this.#ports.firstAttempts.take(appUid);
    this.#bytes.take(appUid, bytes);
    const turn = turnOf(event, webhook._id);
    const made = turn === null ? this.#attempt(facts) : this.#attemptNext(facts, turn.partition);
    const attempt = made.finally(() => {
      this.#ports.firstAttempts.giveBack(appUid);
      this.#bytes.giveBack(appUid, bytes);
      this.#inFlight.delete(attempt);
    });
    this.#inFlight.add(attempt);
    this.#keep(id, attempt);
  }

  // After the one before it in this process, whose end passes the turn to it.
  async #attemptNext(facts: Facts, partition: PartitionKey): Promise<DeliveryOutcome | null> {
    const id = partitionId(partition);
    const before = this.#lastOf.get(id);
    const attempt = Promise.resolve(before).then(() => {
      const until = facts.event.headStart?.until ?? null;
      const isClaimed = until !== null && this.#ports.clock.now() < until;
      return isClaimed && !this.#ended ? this.#attempt(facts) : null;
    });
    this.#lastOf.set(id, attempt);
    const outcome = await attempt;
    if (this.#lastOf.get(id) === attempt) this.#lastOf.delete(id);
    return outcome;
  }

  async #attempt(headStart: Facts): Promise<DeliveryOutcome | null> {
    const { event, webhook } = headStart;
    const key = { appUid: event.appUid, eventId: event._id, webhookUid: webhook._id };
    const caller = { kind: 'event' } as const;
    try {
      const options = { caller, headStart, signal: neverAborted };
      const outcome = await attemptDelivery(this.#ports, key, options);
      const { state, attemptCount, isRateLimited = false } = outcome;
      return state !== 'retrying' || attemptCount > 0 || isRateLimited ? outcome : null;
    } catch (error) {
      // The workflow makes it again.
      deliveryLog.warn({ ...key, err: error }, 'head_start.failed');
      return null;
    }
  }

  // While Temporal is unavailable nothing takes the outcomes. A forgotten one is read from the database.
  #keep(id: string, attempt: Promise<DeliveryOutcome | null>): void {
    this.#attempts.set(id, attempt);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > headStartOutcomesMax) this.#attempts.delete(oldest ?? '');
  }
}
