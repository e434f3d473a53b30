// A delivery: one a pair of event and webhook, with its state and its attempts.
import type { Attempt, AttemptTrigger, StatusClass } from './attempt.ts';
import type { DeliveryState } from './delivery-state.ts';
import type { DeliveredEventName } from './event-name.ts';

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
  /** The partition in which its webhook gets it in order; null where it does not. */
  partition: string | null;
  /** The job that sends it; null while its event's own workflow does, or that of its partition. */
  jobUid: string | null;
  /** The page of that job which took it. */
  jobPage: number | null;
  /** By what it was last sent again on request, and when; null where it was not. */
  requeuedAs: Extract<AttemptTrigger, 'resend' | 'replay'> | null;
  requeuedAt: Date | null;
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
  /** Which job sent it then, null for none: one that took it since decides alone. */
  jobUid: string | null;
  partition: string | null;
  attempt: Attempt | null;
  nextAttemptAt: Date | null;
  now: Date;
}
