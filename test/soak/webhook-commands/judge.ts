// The faults of a sequence, for any order in which overlapping calls may have been executed.
import {
  type Caller,
  callersOf,
  attemptsMax,
  type Call,
  causesToCancel,
  isBefore,
  isDone,
  type Model,
  type Pair,
  type Receipt,
  receiptsOf,
  type Report,
  type Setting,
  standingOf,
} from './model.ts';
import { findOvertaken } from './order-rule.ts';
import { deliveryOf, type EventRead, type Reading } from './reading.ts';

// The time from when an attempt reads its webhook and event until its request arrives.
const inFlightMs = 2_000;

/** Returns the violated guarantees of a finished sequence, in words. */
export function findFaults(model: Model, reading: Reading): string[] {
  return [
    ...model.reports.flatMap((report) => judgeEvent(model, reading, report)),
    ...model.hooks.flatMap((hook) =>
      model.reports.flatMap((report) => {
        const name = `${report.eventId} ${hook.path}`;
        return judgePair(model, reading, { report, hook }).map((fault) => `${name}: ${fault}`);
      }),
    ),
    ...model.hooks.flatMap((hook) => findOvertaken(model, reading, hook)),
    ...model.replays.flatMap((replay) => {
      const shown = reading.replays.get(replay.uid);
      return shown === undefined ? [] : judgeCount(model, reading, { replay, shown });
    }),
  ];
}

function judgePair(model: Model, reading: Reading, pair: Pair): string[] {
  const receipts = receiptsOf(model, pair);
  const event = reading.events.get(pair.report.eventId);
  if (event === undefined) return ['the event is not shown'];
  const isSubscriber = event.webhookUids.includes(pair.hook.uid);
  return [
    ...judgeSubscription(pair, isSubscriber),
    ...judgeNumbers(receipts, callersOf(model, pair), isSubscriber),
    ...judgeTimes(model, pair, { receipts, event }),
    ...judgeRecord(model, reading, pair),
  ];
}

/** "The next change after the answer is sent to it; earlier ones are not." */
function judgeSubscription({ report, hook }: Pair, isSubscriber: boolean): string[] {
  const { registered, deleted } = hook;
  const isAfter = isBefore(registered, report);
  const wasThere = deleted === null || isBefore(report, deleted);
  if (isAfter && wasThere && !isSubscriber)
    return ['was not recorded for a webhook that was there'];
  const mustNot = isBefore(report, registered) || (deleted !== null && isBefore(deleted, report));
  return mustNot && isSubscriber ? ['was recorded for a webhook that was not there'] : [];
}

/**
 * No process is killed, so only requested attempts are made: one schedule of attempts for the event, and one more for
 * each resend or replay. `X-Webhook-Attempt` is 1, 2, …
 */
function judgeNumbers(receipts: Receipt[], callers: Caller[], isSubscriber: boolean): string[] {
  const firstRequestedMs = Math.min(...callers.map(({ beganMs }) => beganMs));
  const unasked = receipts.filter(({ atMs }) => atMs < firstRequestedMs);
  const schedules = callers.length + (isSubscriber ? 1 : 0);
  const taken = receipts.filter(({ status }) => status === 200);
  const faults: string[] = [];
  if (unasked.length > 0 && !isSubscriber) faults.push('sent to no subscriber, unasked');
  if (unasked.some(({ attempt }, index) => attempt !== index + 1)) faults.push('attempt repeated');
  if (unasked.slice(0, -1).some(({ status }) => status === 200)) faults.push('sent after a 2xx');
  if (taken.length > schedules) faults.push(`delivered ${taken.length} times`);
  if (receipts.length > attemptsMax * schedules) faults.push(`${receipts.length} attempts`);
  return faults;
}

/** Nothing is sent at a forbidden time, except requests in flight at its start. */
function judgeTimes(
  model: Model,
  pair: Pair,
  { receipts, event }: { receipts: Receipt[]; event: EventRead },
): string[] {
  const { hook } = pair;
  return receipts.flatMap((receipt) => {
    const fromMs = receipt.atMs - inFlightMs;
    const faults: string[] = [];
    if (event.erasedAt !== null && Date.parse(event.erasedAt) < fromMs) {
      faults.push('sent after its payload was erased');
    }
    if (hook.deleted !== null && hook.deleted.endedMs < fromMs) {
      faults.push('sent after the webhook was deleted');
    }
    // "PATCH […] with {"active": false} stops deliveries."
    if (standingOf(model, hook, { fromMs, toMs: receipt.atMs }) === 'paused') {
      faults.push('sent while the webhook was paused');
    }
    if (wasDiscarded(model, pair, receipt)) faults.push('sent after it was discarded');
    return faults;
  });
}

/**
 * `discard` "drops instead what the pause kept back, retries that are not due yet and what a slow receiver left
 * waiting too": every delivery recorded before it, unless it was requested again afterwards.
 */
function wasDiscarded(model: Model, pair: Pair, { atMs }: Receipt): boolean {
  const isAskedSince = (discard: Setting): boolean =>
    callersOf(model, pair).some((caller) => caller.beganMs <= atMs && !isBefore(caller, discard));
  return model.settings.some(
    (discard) =>
      discard.hook === pair.hook &&
      discard.discards &&
      isDone(discard) &&
      discard.endedMs < atMs &&
      isBefore(pair.report, discard) &&
      wasPausedLong(model, discard, atMs - inFlightMs) &&
      !isAskedSince(discard),
  );
}

/** Checks whether the pause that a setting ended began before a time, so that no older request is in flight. */
function wasPausedLong(model: Model, setting: Setting, beforeMs: number): boolean {
  const fromMs = Math.min(beforeMs, setting.beganMs);
  const { endedMs: toMs } = setting;
  return standingOf(model, setting.hook, { fromMs, toMs, except: setting }) === 'paused';
}

/** The record of a delivery agrees with the received requests and with the calls. */
function judgeRecord(model: Model, reading: Reading, pair: Pair): string[] {
  const delivery = deliveryOf(reading, pair.report.eventId, pair.hook);
  if (delivery === undefined) return [];
  const receipts = receiptsOf(model, pair);
  const { state, attemptCount } = delivery;
  const failed = receipts.filter(({ status }) => status !== 200);
  const causes: Call[] = causesToCancel(model, pair);
  const faults: string[] = [];
  if (state === 'blocked') faults.push('blocked');
  if (state === 'delivered' && failed.length === receipts.length) faults.push('no 2xx was given');
  if (state === 'exhausted' && failed.length < attemptsMax) faults.push('exhausted too early');
  if (state === 'cancelled' && causes.length === 0) faults.push('cancelled by nothing');
  if (attemptCount > receipts.length) faults.push(`${attemptCount} attempts recorded`);
  // "An attempt that a resend or replay overtakes is not recorded", nor is one of a deleted webhook.
  const mayBeUnrecorded = causes.length > 0 || callersOf(model, pair).length > 0;
  if (!mayBeUnrecorded && attemptCount !== receipts.length) faults.push('attempt not recorded');
  return faults;
}

/** "The body is the same, byte for byte, at every attempt"; `sequence` numbers the changes of a resource from 1 on. */
function judgeEvent(model: Model, reading: Reading, report: Report): string[] {
  const { eventId, resource } = report;
  const sequence = reading.events.get(eventId)?.sequence ?? 0;
  const receipts = model.receipts.filter((receipt) => receipt.eventId === eventId);
  const later = model.reports.filter(
    (other) => other.resource === resource && isBefore(report, other),
  );
  const numberOf = (other: Report): number => reading.events.get(other.eventId)?.sequence ?? 0;
  const faults: string[] = [];
  if (new Set(receipts.map(({ body }) => body)).size > 1) faults.push('bodies differ');
  if (receipts.some((receipt) => receipt.sequence !== sequence)) faults.push('other sequence sent');
  if (later.some((other) => numberOf(other) <= sequence)) faults.push('later one has less');
  return faults.map((fault) => `${eventId}: ${fault}`);
}

type Counted = { replay: Model['replays'][number]; shown: { releasedCount: number } };

/** "`releasedCount` is the number of deliveries enqueued so far": at least those attempted for it, and no event twice. */
function judgeCount(model: Model, reading: Reading, { replay, shown }: Counted): string[] {
  const { hook, beganMs, sinceMs } = replay;
  const ofHook = model.replays.filter((other) => other.hook === hook && isDone(other));
  const inRange = model.reports.filter(
    (report) => sinceMs <= report.endedMs && !isBefore(replay, report),
  );
  const attempted = inRange.filter(({ eventId }) =>
    deliveryOf(reading, eventId, hook)?.attempts.some(
      ({ trigger, at }) => trigger === 'replay' && Date.parse(at) >= beganMs,
    ),
  );
  const { releasedCount } = shown;
  const isAlone = ofHook.length === 1;
  if (releasedCount > inRange.length) return [`${replay.uid}: released more than there is`];
  if (isAlone && releasedCount < attempted.length) return [`${replay.uid}: released too few`];
  return [];
}

/** Reports requests of a sequence that arrived after it was judged. */
export function findLate(model: Model, judgedCount: number): string[] {
  return model.receipts
    .slice(judgedCount)
    .map(({ eventId, path, attempt }) => `${eventId} ${path}: attempt ${attempt} came late`);
}
