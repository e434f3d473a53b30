import {
  type Attempt,
  attemptStates,
  type AttemptTimings,
  attemptTriggers,
  errorClasses,
  statusClasses,
} from '../../lib/model/attempt.ts';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import {
  countFromOne,
  count,
  listOf,
  named,
  objectOf,
  oneOfTexts,
  orNull,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../http/schemas.ts';
import { deliveredEventNames } from '../../lib/model/event-name.ts';
import { deliveryStates, cancelReasons } from '../../lib/model/delivery-state.ts';

export type ShownDelivery = Pick<
  DeliveryDocument,
  | 'eventId'
  | 'event'
  | 'webhookUid'
  | 'externalTenantId'
  | 'state'
  | 'cancelReason'
  | 'statusClass'
  | 'errorClass'
  | 'attemptCount'
  | 'nextAttemptAt'
  | 'attempts'
  | 'createdAt'
  | 'updatedAt'
>;

/** Returns a delivery as clients see it, with its latest attempts, oldest first. */
export function presentDelivery(delivery: ShownDelivery) {
  return {
    eventId: delivery.eventId,
    event: delivery.event,
    webhookUid: delivery.webhookUid,
    externalTenantId: delivery.externalTenantId,
    state: delivery.state,
    cancelReason: delivery.cancelReason,
    statusClass: delivery.statusClass,
    errorClass: delivery.errorClass,
    attemptCount: delivery.attemptCount,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(presentAttempt),
    createdAt: delivery.createdAt.toISOString(),
    updatedAt: delivery.updatedAt.toISOString(),
  };
}

// Without the resolved address of the receiver.
function presentAttempt(attempt: Attempt) {
  return {
    n: attempt.n,
    at: attempt.at.toISOString(),
    trigger: attempt.trigger,
    state: attempt.state,
    traceId: attempt.traceId ?? null,
    status: attempt.status,
    errorClass: attempt.errorClass,
    detail: attempt.detail,
    ms: attempt.ms,
    responseSample: attempt.responseSample,
  };
}

const attemptSchema = named(
  'Attempt',
  objectOf<ReturnType<typeof presentAttempt>>({
    n: countFromOne,
    at: time,
    trigger: oneOfTexts(attemptTriggers),
    state: { ...oneOfTexts(attemptStates), description: 'What it made of the delivery.' },
    traceId: {
      ...textOrNull,
      description: 'Of its trace, which operators can look up; null where none was recorded.',
    },
    status: { type: ['integer', 'null'] },
    errorClass: orNull(oneOfTexts(errorClasses)),
    detail: { ...textOrNull, description: 'What went wrong where there was no answer.' },
    ms: {
      ...objectOf<AttemptTimings>(
        { dns: count, connect: count, tls: count, firstByte: count, total: count },
        ['dns', 'connect', 'tls', 'firstByte'],
      ),
      description: 'Whole milliseconds of each phase; absent where it did not happen.',
    },
    responseSample: {
      ...text,
      description:
        'The beginning of the answer, at most 4 KiB, with U+FFFD for invalid UTF-8 and control characters, and `…` for what the webhook sends along in `headers` and `auth`.',
    },
  }),
);

export const deliveryProperties = {
  eventId: text,
  event: oneOfTexts(deliveredEventNames),
  webhookUid: text,
  externalTenantId: text,
  state: oneOfTexts(deliveryStates),
  cancelReason: {
    ...orNull(oneOfTexts(cancelReasons)),
    description: 'Why it is `cancelled`; else null.',
  },
  statusClass: {
    ...orNull(oneOfTexts(statusClasses)),
    description: 'Of the last attempt since it was last sent again; null before that.',
  },
  errorClass: {
    ...orNull(oneOfTexts(errorClasses)),
    description: 'As `statusClass`; null of a success, too.',
  },
  attemptCount: count,
  nextAttemptAt: { ...timeOrNull, description: 'No attempt is made before.' },
  attempts: { ...listOf(attemptSchema), description: 'The latest 21, oldest first.' },
  createdAt: { ...time, description: 'When it was first recorded.' },
  updatedAt: time,
};

export type PresentedDelivery = ReturnType<typeof presentDelivery>;

export const deliverySchema = named('Delivery', objectOf<PresentedDelivery>(deliveryProperties));
