import type { Attempt, ErrorClass, RequeueTrigger, StatusClass } from './attempt.ts';
import { type DeliveryState, openStates } from './delivery-state.ts';
import { type CancelReason } from './cancel-reason.ts';
import type { DeliveredEventName } from './event-name.ts';

export interface DeliveryDocument {
  /** See `pairOf`. */
  _id: string;
  appUid: string;
  eventId: string;
  webhookUid: string;
  event: DeliveredEventName;
  externalTenantId: string;
  state: DeliveryState;
  /** Null unless it is cancelled. */
  cancelReason: CancelReason | null;
  attemptCount: number;
  attempts: Attempt[];
  /** Like `errorClass`, of the last attempt since the last requeue; null before it. */
  statusClass: StatusClass | null;
  /** Also null after a success. */
  errorClass: ErrorClass | null;
  nextAttemptAt: Date | null;
  /** Whether `nextAttemptAt` is its rate-limit slot (ADR 40). */
  isRateLimited: boolean;
  /** Null if the webhook is not ordered. */
  partition: string | null;
  /** The job that owns it; null while the workflow of its event or partition does. */
  jobUid: string | null;
  jobPage: number | null;
  requeuedAs: RequeueTrigger | null;
  requeuedAt: Date | null;
  /** The latest resend, replay or sync that requeued it; absent before the first. */
  requeuedBy?: string;
  /** The webhook's discard count when the event or the request to send it again was recorded; absent if it was 0. */
  discardCount?: number;
  /** The number of attempts before the last requeue: the schedule starts after them. */
  scheduleFrom: number;
  /** The time of its event, also if it was recorded much later. */
  createdAt: Date;
  updatedAt: Date;
}

const deliveryFields = {
  appUid: 1,
  eventId: 1,
  webhookUid: 1,
  state: 1,
  cancelReason: 1,
  attemptCount: 1,
  nextAttemptAt: 1,
  isRateLimited: 1,
  partition: 1,
  jobUid: 1,
  jobPage: 1,
  requeuedAs: 1,
  requeuedAt: 1,
  discardCount: 1,
  scheduleFrom: 1,
  updatedAt: 1,
} as const;

/** An earlier attempt. */
export type PastAttempt = Pick<Attempt, 'n' | 'at' | 'status' | 'errorClass'> & {
  ms: Pick<Attempt['ms'], 'total'>;
};

/** A delivery as read for attempts: with the last of its attempts, or with all once it is settled. */
export type DeliveryToAttempt = Pick<DeliveryDocument, '_id' | keyof typeof deliveryFields> & {
  attempts: PastAttempt[];
};

const pastAttempt = {
  n: '$$this.n',
  at: '$$this.at',
  ms: { total: '$$this.ms.total' },
  status: '$$this.status',
  errorClass: '$$this.errorClass',
};

/** The projection to `DeliveryToAttempt`: thousands may be in memory, and a whole document may have 125 KiB. */
export const deliveryToAttempt = {
  ...deliveryFields,
  attempts: {
    $map: {
      input: {
        $cond: [{ $in: ['$state', [...openStates]] }, { $slice: ['$attempts', -1] }, '$attempts'],
      },
      in: pastAttempt,
    },
  },
} as const;

export type DeliveryKey = Pick<DeliveryDocument, 'appUid' | 'eventId' | 'webhookUid'>;

/** Returns the `_id` of a delivery: one event to one webhook. They sort by the time of the event. */
export function pairOf({ eventId, webhookUid }: Omit<DeliveryKey, 'appUid'>): string {
  return `${eventId}/${webhookUid}`;
}

/** Returns the ids of all deliveries of some events: prefixes, which MongoDB reads as ranges of the index. */
export function pairsOf(eventIds: readonly string[]): { $in: RegExp[] } {
  return { $in: eventIds.map((eventId) => new RegExp(`^${eventId}/`)) };
}

/** `jobUid` is the owner when the step began; if a job has taken the delivery since, only the job may write. */
export interface DeliveryStep extends Pick<
  DeliveryDocument,
  | 'event'
  | 'externalTenantId'
  | 'state'
  | 'cancelReason'
  | 'jobUid'
  | 'partition'
  | 'nextAttemptAt'
  | 'isRateLimited'
> {
  /** Whether the delivery has no document yet. */
  isFirst: boolean;
  /** Recorded attempts when the step began, to detect a concurrent writer. */
  attemptsBefore: number;
  discardCount?: number | undefined;
  attempt: Attempt | null;
  now: Date;
}
