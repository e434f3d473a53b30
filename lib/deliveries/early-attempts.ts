import { SharedLimit } from '../concurrency/shared-limit.ts';
import { attemptLimits } from '../limits.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { type DeliveryKey, pairOf } from '../model/delivery.ts';
import type { EventDocument, FirstAttemptClaim } from '../model/event.ts';
import { partitionId, type PartitionKey, partitionNumberOf } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { deliveryLog } from '../platform/logger.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { attemptInOrder } from './attempt-in-order.ts';
import type { DeliveryPorts } from './ports.ts';

const { firstAttemptClaimMs, earlyAttemptBytesMax, earlyAttemptOutcomesMax } = attemptLimits;

interface Facts {
  event: EventDocument;
  webhook: WebhookDocument;
  readAt: Date;
}

/**
 * Makes first attempts right after the commit, in partitions by a drain, before Temporal has acknowledged the workflow.
 * The workflow then uses their outcomes and attempts the rest.
 */
export class EarlyAttempts {
  readonly #ports: DeliveryPorts;
  /** By delivery; null if the workflow has to make the attempt. */
  readonly #attempts = new Map<string, Promise<DeliveryOutcome | null>>();
  readonly #inFlight = new Set<Promise<unknown>>();
  /** The outcomes of the latest drain, by partition. */
  readonly #drains = new Map<string, Promise<readonly DeliveryOutcome[]>>();
  readonly #ending = new AbortController();
  readonly #bytes = new SharedLimit(earlyAttemptBytesMax);
  #ended = false;

  constructor(ports: DeliveryPorts) {
    this.#ports = ports;
  }

  /** Returns the claim to record with an event: until it ends, other processes leave the first attempts to this one. */
  claim(): FirstAttemptClaim | null {
    if (this.#ended) return null;
    const until = new Date(this.#ports.clock.now().getTime() + firstAttemptClaimMs);
    return { by: this.#ports.processUid, until };
  }

  /** Begins the attempts of a committed event; `webhooks` were read after `readAt`. */
  begin(event: EventDocument, webhooks: readonly WebhookDocument[], readAt: Date): void {
    if (this.#ended || event.firstAttempt === null) return;
    for (const webhook of webhooks) {
      if (this.#hasRoom(event.appUid)) this.#track({ event, webhook, readAt });
    }
  }

  /** Returns the outcome of a delivery once its attempt has ended; null if this process made none. */
  async take(key: DeliveryKey): Promise<DeliveryOutcome | null> {
    const id = pairOf(key);
    const outcome = (await this.#attempts.get(id)) ?? null;
    // Deleted only now: a workflow task repeated earlier would make a second attempt.
    this.#attempts.delete(id);
    return outcome;
  }

  /** Starts no more attempts, and resolves when those in flight are recorded. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#ending.abort();
    await Promise.all(this.#inFlight);
  }

  #hasRoom(appUid: string): boolean {
    return this.#bytes.hasRoom(appUid) && this.#ports.firstAttemptLimit.hasRoom(appUid);
  }

  #track(facts: Facts): void {
    const { event, webhook } = facts;
    const id = pairOf({ eventId: event._id, webhookUid: webhook._id });
    const { appUid } = event;
    const bytes = event.body.length;
    this.#ports.firstAttemptLimit.take(appUid);
    this.#bytes.take(appUid, bytes);
    const partitionNumber = partitionNumberOf(event, webhook._id);
    const made =
      partitionNumber === null
        ? this.#attempt(facts)
        : this.#inOrder(event, partitionNumber.partition);
    const attempt = made.finally(() => {
      this.#ports.firstAttemptLimit.release(appUid);
      this.#bytes.release(appUid, bytes);
      this.#inFlight.delete(attempt);
    });
    this.#inFlight.add(attempt);
    this.#keep(id, attempt);
  }

  // Runs one drain at a time; it often sends the deliveries of the calls that wait for it.
  async #inOrder(event: EventDocument, partition: PartitionKey): Promise<DeliveryOutcome | null> {
    const eventId = event._id;
    const id = partitionId(partition);
    const before = this.#drains.get(id) ?? Promise.resolve([]);
    const drained = before.then((outcomes) => {
      const isClaimed =
        event.firstAttempt !== null && this.#ports.clock.now() < event.firstAttempt.until;
      const isLeft = this.#ended || !isClaimed || find(outcomes, eventId) !== null;
      return isLeft ? outcomes : this.#drain(partition);
    });
    this.#drains.set(id, drained);
    const outcome = find(await drained, eventId);
    if (this.#drains.get(id) === drained) this.#drains.delete(id);
    return outcome;
  }

  async #drain(partition: PartitionKey): Promise<readonly DeliveryOutcome[]> {
    try {
      const cancellation = this.#ending.signal;
      const bounds = { cancellation, msMax: firstAttemptClaimMs };
      return (await attemptInOrder(this.#ports, partition, bounds)).settled;
    } catch (error) {
      // The workflow of the event sends it, because its number is not settled.
      deliveryLog.warn({ ...partition, err: error }, 'early_attempt.failed');
      return [];
    }
  }

  async #attempt(early: Facts): Promise<DeliveryOutcome | null> {
    const { event, webhook } = early;
    const key = { appUid: event.appUid, eventId: event._id, webhookUid: webhook._id };
    const caller = { kind: 'event' } as const;
    try {
      // Without a signal: a stopping process waits for the attempts in flight, at most 5 s.
      const outcome = await attemptDelivery(this.#ports, key, { caller, early });
      const isUnrecorded =
        outcome.state === 'later' && ['throttled', 'inFlightElsewhere'].includes(outcome.why);
      return isUnrecorded ? null : outcome;
    } catch (error) {
      // The workflow repeats the attempt.
      deliveryLog.warn({ ...key, err: error }, 'early_attempt.failed');
      return null;
    }
  }

  // While Temporal is unavailable, nobody takes the outcomes. A dropped outcome is read from the database.
  #keep(id: string, attempt: Promise<DeliveryOutcome | null>): void {
    this.#attempts.set(id, attempt);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > earlyAttemptOutcomesMax) this.#attempts.delete(oldest ?? '');
  }
}

function find(outcomes: readonly DeliveryOutcome[], eventId: string): DeliveryOutcome | null {
  return outcomes.find((outcome) => outcome.eventId === eventId) ?? null;
}
