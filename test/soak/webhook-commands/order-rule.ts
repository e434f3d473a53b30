// The order at a webhook with `ordering: "resource"`.
import {
  callersOf,
  causesToCancel,
  type Hook,
  isBefore,
  isDone,
  type Model,
  type Pair,
  type Receipt,
  receiptsOf,
  type Report,
  type Setting,
} from './model.ts';
import type { Reading } from './reading.ts';

/**
 * Returns the requests that broke "a webhook gets the events about one resource one at a time, in order: a later one
 * waits […] until the earlier is delivered, exhausted, blocked or cancelled". A resend "is sent immediately, out of
 * order"; what a replay sends of an event that was cancelled before comes after those that did not wait for it.
 */
export function findOvertaken(model: Model, reading: Reading, hook: Hook): string[] {
  return model.reports.flatMap((later) => {
    const [first] = receiptsOf(model, { report: later, hook });
    if (first === undefined || !isInOrder(model, { report: later, hook }, first)) return [];
    return earlierThan(model, reading, { report: later, hook })
      .filter((earlier) => overtakes(model, { report: earlier, hook }, first))
      .map((earlier) => `${later.eventId} ${hook.path}: overtook ${earlier.eventId}`);
  });
}

/** Returns the events about the resource that its webhook gets before this one. */
function earlierThan(model: Model, reading: Reading, { report, hook }: Pair): Report[] {
  const sequenceOf = ({ eventId }: Report): number => reading.events.get(eventId)?.sequence ?? 0;
  return model.reports.filter(
    (other) =>
      other.resource === report.resource &&
      sequenceOf(other) < sequenceOf(report) &&
      reading.events.get(other.eventId)?.webhookUids.includes(hook.uid) === true &&
      !isBesideChange(model, other, hook) &&
      !isOlderThanOrder(model, other, hook),
  );
}

/** Checks whether an event had to wait for earlier ones when it was first sent. */
function isInOrder(model: Model, pair: Pair, first: Receipt): boolean {
  const { report, hook } = pair;
  const wasResent = callersOf(model, pair).some(
    ({ isResend, beganMs }) => isResend && beganMs <= first.atMs,
  );
  if (wasResent) return false;
  const changes = orderChanges(model, hook);
  const isOn = hook.ordering === 'resource' && isBefore(hook.registered, report);
  const ons = changes.filter(({ ordering }) => ordering === 'resource');
  const lastOnMs = Math.max(
    isOn ? hook.registered.beganMs : -Infinity,
    ...ons.filter((on) => isBefore(on, report)).map(({ beganMs }) => beganMs),
  );
  if (lastOnMs === -Infinity) return false;
  return !changes.some(
    (off) => off.ordering === 'parallel' && off.endedMs >= lastOnMs && off.beganMs <= first.atMs,
  );
}

function orderChanges(model: Model, hook: Hook): Setting[] {
  return model.settings.filter(
    (setting) => setting.hook === hook && setting.ordering !== null && isDone(setting),
  );
}

/** "Events recorded from then on wait for each other, but not for events that were recorded before." */
function isOlderThanOrder(model: Model, report: Report, hook: Hook): boolean {
  return orderChanges(model, hook).some(
    (change) => change.ordering === 'resource' && isBefore(report, change),
  );
}

/** "Two things may still overtake: an event that is being recorded at the very moment of the change" to order. */
function isBesideChange(model: Model, report: Report, hook: Hook): boolean {
  return orderChanges(model, hook).some(
    (change) => !isBefore(change, report) && !isBefore(report, change),
  );
}

/** Checks whether a later event was first sent before an earlier one was settled. */
function overtakes(model: Model, earlier: Pair, first: Receipt): boolean {
  const receipts = receiptsOf(model, earlier);
  const callers = callersOf(model, earlier);
  const wasCancelled = causesToCancel(model, earlier).some(({ beganMs }) => beganMs <= first.atMs);
  if (wasCancelled) return false;
  return receipts.some(({ atMs, answeredMs }) => {
    const isRequested = callers.some(({ beganMs }) => beganMs <= atMs);
    return answeredMs > first.atMs && !isRequested;
  });
}
