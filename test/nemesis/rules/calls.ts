// What an observer may conclude from calls whose outcome, or moment of effect, is uncertain.
import type { Call, Span, WebhookHistory, WebhookSettings } from '../history.ts';

/** A suspended process may carry out a call long after its caller gave up. */
const unknownLastsMs = 30_000;

export function effectEndMs({ outcome, endMs, isRepeated }: Call): number {
  return outcome === 'unknown' || isRepeated === true ? endMs + unknownLastsMs : endMs;
}

export function mayHaveHappened({ outcome }: Call): boolean {
  return outcome !== 'refused';
}

export function overlaps(a: Span, b: Span): boolean {
  return a.startMs <= b.endMs && b.startMs <= a.endMs;
}

/** Returns the settings that may have been the latest at some moment of the span; none if the webhook did not exist. */
export function possibleSettings(webhook: WebhookHistory, span: Span): WebhookSettings[] {
  if (isGone(webhook, span.startMs)) return [];
  const replacedMs = webhook.settings
    .filter(({ outcome, endMs }) => outcome === 'accepted' && endMs <= span.startMs)
    .reduce((latestMs, { startMs }) => Math.max(latestMs, startMs), -Infinity);
  return webhook.settings
    .filter((call) => mayHaveHappened(call) && call.startMs <= span.endMs)
    .filter((call) => effectEndMs(call) >= replacedMs)
    .map(({ settings }) => settings);
}

/** Checks whether the webhook was surely deleted by then. */
export function isGone({ deletions }: WebhookHistory, atMs: number): boolean {
  return deletions.some(({ outcome, endMs }) => outcome === 'accepted' && endMs < atMs);
}

/** Checks whether the webhook surely existed during the whole span. */
export function isThere({ settings, deletions }: WebhookHistory, span: Span): boolean {
  const created = settings[0];
  if (created?.outcome !== 'accepted' || created.endMs > span.startMs) return false;
  return !deletions.some((call) => mayHaveHappened(call) && call.startMs <= span.endMs);
}
