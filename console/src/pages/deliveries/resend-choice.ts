// Which deliveries to offer for a resend, and the effect of a resend on the others.
import type { Delivery } from '@agent-herald/client';

type Facts = Pick<Delivery, 'state' | 'cancelReason'>;
type CancelReason = NonNullable<Delivery['cancelReason']>;

const kinds = [
  'failed',
  'delivered',
  'discarded',
  'skipped',
  'unsubscribed',
  'pending',
  'retrying',
  'held',
  'gone',
] as const;
type Kind = (typeof kinds)[number];

const kindOfState: Readonly<Record<Delivery['state'], Kind>> = {
  exhausted: 'failed',
  blocked: 'failed',
  delivered: 'delivered',
  pending: 'pending',
  retrying: 'retrying',
  held: 'held',
  cancelled: 'discarded',
};

const kindOfReason: Readonly<Record<CancelReason, Kind>> = {
  expired: 'failed',
  abandoned: 'failed',
  discarded: 'discarded',
  skipped: 'skipped',
  unsubscribed: 'unsubscribed',
  webhook_deleted: 'gone',
  erased: 'gone',
};

function kindOf({ state, cancelReason }: Facts): Kind {
  return cancelReason === null ? kindOfState[state] : kindOfReason[cancelReason];
}

/** Checks whether a delivery failed or was lost, so that a replay would send it by default. */
export function hasFailed(delivery: Facts): boolean {
  return kindOf(delivery) === 'failed';
}

const askedFirst: readonly Kind[] = [
  'delivered',
  'discarded',
  'skipped',
  'unsubscribed',
  'pending',
];

/** Checks whether a resend could deliver twice, or send a delivery that was cancelled on purpose. */
export function needsQuestion(delivery: Facts): boolean {
  return askedFirst.includes(kindOf(delivery));
}

/** Returns the phrases for a number of deliveries. */
function wordsFor(count: number) {
  return count === 1
    ? { were: 'was', are: 'is', They: 'It', them: 'it', their: 'its', receivers: 'The receiver' }
    : {
        were: 'were',
        are: 'are',
        They: 'They',
        them: 'them',
        their: 'their',
        receivers: 'Receivers',
      };
}

const effects: Readonly<Record<Kind, (words: ReturnType<typeof wordsFor>) => string>> = {
  failed: () => 'failed.',
  delivered: ({ were, them, receivers }) =>
    `${were} already delivered. ${receivers} will get ${them} again.`,
  discarded: ({ were, them, receivers }) =>
    `${were} discarded on purpose. ${receivers} will get ${them} anyway.`,
  skipped: ({ were, them, receivers }) =>
    `${were} skipped on purpose. ${receivers} will get ${them} anyway.`,
  unsubscribed: ({ were, them, receivers }) =>
    `${were} cancelled because the webhook no longer wanted ${them}. ${receivers} will get ${them} anyway.`,
  pending: ({ are, them, receivers }) =>
    `${are} queued or being sent. ${receivers} may get ${them} twice.`,
  retrying: ({ are, They, their }) =>
    `${are} waiting for a retry. ${They} will be sent now, and ${their} retries start again.`,
  held: ({ are, They }) => `${are} held. ${They} will be sent once the webhook is active.`,
  gone: () => 'can no longer be sent: the payload was erased, or the webhook was deleted.',
};

/** Returns the effects of a resend: a sentence with a count for each kind of delivery. */
export function effectsOf(deliveries: readonly Facts[]): string[] {
  const total = deliveries.length;
  return kinds.flatMap((kind) => {
    const count = deliveries.filter((delivery) => kindOf(delivery) === kind).length;
    if (count === 0) return [];
    const all = total === 1 ? 'It' : `All ${count}`;
    const subject = count === total ? all : `${count} of these`;
    return [`${subject} ${effects[kind](wordsFor(count))}`];
  });
}

/** Returns the label of the button that resends deliveries. */
export function resendLabel(deliveries: readonly Facts[]): string {
  const count = deliveries.length;
  const failed = deliveries.every(hasFailed) ? 'failed ' : '';
  return `Resend ${count} ${failed}${count === 1 ? 'delivery' : 'deliveries'}`;
}
