import {
  type Attempt,
  attemptStates,
  type AttemptTimings,
  attemptTriggers,
  errorClasses,
  type ResponseHeader,
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
import { deliveryStates } from '../../lib/model/delivery-state.ts';
import { cancelReasons } from '../../lib/model/cancel-reason.ts';

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

/** Returns a delivery as shown to clients, with its latest attempts, oldest first. */
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

// Omits the resolved address of the receiver.
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
    responseHeaders: attempt.responseHeaders ?? [],
  };
}

const attemptSchema = named(
  'Attempt',
  objectOf<ReturnType<typeof presentAttempt>>({
    n: countFromOne,
    at: time,
    trigger: oneOfTexts(attemptTriggers),
    state: {
      ...oneOfTexts(attemptStates),
      description: 'The state of the delivery after this attempt.',
    },
    traceId: {
      ...textOrNull,
      description:
        'The ID of the trace, which operators can look up. Null if no trace was recorded.',
    },
    status: { type: ['integer', 'null'] },
    errorClass: orNull(oneOfTexts(errorClasses)),
    detail: { ...textOrNull, description: 'The reason why there was no response.' },
    ms: {
      ...objectOf<AttemptTimings>(
        { dns: count, connect: count, tls: count, firstByte: count, total: count },
        ['dns', 'connect', 'tls', 'firstByte'],
      ),
      description:
        'The duration of each phase in whole milliseconds. A phase that did not happen is absent.',
    },
    responseHeaders: {
      ...listOf(objectOf<ResponseHeader>({ name: text, value: text })),
      description:
        'The headers of the response that help to find a cause, such as `server`, `retry-after` and request IDs, each with at most 160 bytes.',
    },
    responseSample: {
      ...text,
      description:
        'The beginning of the response, at most 4 KiB. Invalid UTF-8 and control characters appear as U+FFFD. Values from `headers` and `auth` of the webhook appear as `…` if the response repeats them.',
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
    description: 'The reason for the state `cancelled`. Null for other states.',
  },
  statusClass: {
    ...orNull(oneOfTexts(statusClasses)),
    description:
      'The status class of the last attempt. Null until the first attempt, also after a resend.',
  },
  errorClass: {
    ...orNull(oneOfTexts(errorClasses)),
    description:
      'The error class of the last attempt. Null if `statusClass` is null or the attempt succeeded.',
  },
  attemptCount: count,
  nextAttemptAt: { ...timeOrNull, description: 'The earliest time of the next attempt.' },
  attempts: {
    ...listOf(attemptSchema),
    description: 'The latest 21 attempts, from oldest to newest.',
  },
  createdAt: {
    ...time,
    description: 'The time of the event.',
  },
  updatedAt: time,
};

export type PresentedDelivery = ReturnType<typeof presentDelivery>;

export const deliverySchema = named('Delivery', objectOf<PresentedDelivery>(deliveryProperties));
