// A delivery: one a pair of event and webhook, with its state and its attempts.
import type { Attempt, AttemptTrigger, StatusClass } from './attempt.ts';
import type { DeliveryState } from './delivery-state.ts';
import type { DeliveredEventName } from './event-name.ts';
import type { LanePlace } from './lane.ts';

export interface DeliveryDocument {
  _id: string;
  appUid: string;
  eventId: string;
  webhookUid: string;
  event: DeliveredEventName;
  state: DeliveryState;
  attemptCount: number;
  attempts: Attempt[];
  /** What the last attempt was answered; null while none was made. */
  statusClass: StatusClass | null;
  nextAttemptAt: Date | null;
  /** Its place in the lane that carries it now; null while none does. */
  lane: LanePlace | null;
  /** The redelivery or release that carries it now; null while the event's own workflow does. */
  redeliveryUid: string | null;
  /** Why the first attempt of that redelivery is made; null where it is a release. */
  requeuedAs: Extract<AttemptTrigger, 'resend' | 'replay'> | null;
  /** How many attempts had been made when it was last requeued: the schedule begins after them. */
  scheduleFrom: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Which delivery: an event's to a webhook, in an application. */
export interface DeliveryKey {
  appUid: string;
  eventId: string;
  webhookUid: string;
}

/** What a step did to a delivery. `attempt` is absent for a step that sent nothing. */
export interface DeliveryStep {
  event: DeliveredEventName;
  state: DeliveryState;
  /** True for a delivery of which nothing is stored yet. */
  isFirst: boolean;
  /** How many attempts had been recorded when the step began: the guard against a second writer. */
  attemptsBefore: number;
  /** Which redelivery carried it then, null for none: one that took it over since decides alone. */
  redeliveryUid: string | null;
  attempt: Attempt | null;
  nextAttemptAt: Date | null;
  /** The place in its lane, where it goes to one or stays in it. */
  lane: LanePlace | null;
  now: Date;
}
