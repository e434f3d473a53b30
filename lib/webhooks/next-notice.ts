// What the service tells of a webhook, and when (docs/adr/0024).
import { minuteMs } from '../platform/duration.ts';
import type { Notified, WebhookDocument } from '../model/webhook.ts';

/** A webhook as it was read before an attempt. */
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
  /** The delivery has no attempt left. */
  exhausted: boolean;
  /** No request was made: nothing but a change of DNS or of the URL helps. */
  blocked: boolean;
  deactivateAfterMs: number;
}

const failingMsMax = 5 * minuteMs;
const exhaustedEveryMs = minuteMs;

/**
 * Returns what is due after a failure: at most one, the gravest. `failing` says that all failed for five minutes, or a
 * twentieth of `deactivateAfterMs` if that is shorter, or that one was blocked; the others also need an exhausted
 * delivery.
 */
export function nextNotice(
  { failingSince, lastExhaustedAt, notified }: Health,
  { at, exhausted, blocked, deactivateAfterMs }: Failure,
): Notified | null {
  const isNews = notified === null;
  if (failingSince === null) return blocked && isNews ? 'failing' : null;
  const lastedMs = at.getTime() - failingSince.getTime();
  if (exhausted || lastExhaustedAt !== null) {
    if (lastedMs >= deactivateAfterMs) return 'deactivated';
    const isReported = notified === 'deactivation_scheduled' || notified === 'deactivated';
    if (lastedMs >= deactivateAfterMs / 2 && !isReported) return 'deactivation_scheduled';
  }
  return isNews && (blocked || lastedMs >= failingMs(deactivateAfterMs)) ? 'failing' : null;
}

/** Returns since when no delivery may have succeeded for a notice to be true: for `failing` the last minutes. */
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

/** Returns whether an exhausted delivery is reported: of a webhook at most one a minute, and no attempt twice. */
export function isExhaustedDue(
  { exhaustedNotice: last }: Pick<Health, 'exhaustedNotice'>,
  { at, eventId, attempt }: { at: Date; eventId: string; attempt: number },
): boolean {
  if (last === null) return true;
  if (at.getTime() - last.at.getTime() < exhaustedEveryMs) return false;
  return last.eventId !== eventId || last.attempt !== attempt;
}

/** Returns the fields of a clock that starts anew. That it fails stays reported; what would follow is reported again. */
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
