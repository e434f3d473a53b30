// Decides which notice about a webhook is due (docs/adr/0024).
import { minuteMs } from '../platform/duration.ts';
import type { Notified, WebhookDocument } from '../model/webhook.ts';

/** The health fields of a webhook, as read before an attempt. */
export type Health = Pick<
  WebhookDocument,
  | '_id'
  | 'appUid'
  | 'kind'
  | 'url'
  | 'failingSince'
  | 'lastExhaustedAt'
  | 'notified'
  | 'exhaustedNotice'
>;

export interface Failure {
  at: Date;
  /** Whether this was the last attempt of the delivery. */
  exhausted: boolean;
  /** Whether the request was refused unsent; only a change of DNS or of the URL helps. */
  blocked: boolean;
  deactivateAfterMs: number;
}

const failingMsMax = 5 * minuteMs;

/**
 * Returns the most severe notice that is due after a failure, or null. `failing`: all attempts failed for five minutes
 * (or a twentieth of `deactivateAfterMs` if that is shorter), or one was blocked. The others also need an exhausted
 * delivery.
 */
export function nextNotice(
  { failingSince, lastExhaustedAt, notified }: Health,
  { at, exhausted, blocked, deactivateAfterMs }: Failure,
): Notified | null {
  const isUnreported = notified === null;
  if (failingSince === null) return blocked && isUnreported ? 'failing' : null;
  const lastedMs = at.getTime() - failingSince.getTime();
  if (exhausted || lastExhaustedAt !== null) {
    if (lastedMs >= deactivateAfterMs) return 'deactivated';
    const isReported = notified === 'deactivation_scheduled' || notified === 'deactivated';
    if (lastedMs >= deactivateAfterMs / 2 && !isReported) return 'deactivation_scheduled';
  }
  return isUnreported && (blocked || lastedMs >= failingMs(deactivateAfterMs)) ? 'failing' : null;
}

/** Returns since when no delivery may have succeeded for a notice to hold; for `failing` the last minutes. */
export function quietSince(
  notice: Notified,
  failingSince: Date,
  { at, blocked, deactivateAfterMs }: Pick<Failure, 'at' | 'blocked' | 'deactivateAfterMs'>,
): Date {
  return notice === 'failing' && !blocked
    ? new Date(at.getTime() - failingMs(deactivateAfterMs))
    : failingSince;
}

function failingMs(deactivateAfterMs: number): number {
  return Math.min(failingMsMax, deactivateAfterMs / 20);
}

/** Returns the fields of a restarted failure clock. `failing` is not reported again, the later notices are. */
export function restartedClock(
  failure: Pick<Failure, 'at' | 'exhausted'> | null,
  notified: Notified | null,
): Pick<WebhookDocument, 'failingSince' | 'lastExhaustedAt' | 'notified'> {
  return {
    failingSince: failure?.at ?? null,
    lastExhaustedAt: failure?.exhausted === true ? failure.at : null,
    notified: notified === null ? null : 'failing',
  };
}
