// The unfinished work of a sequence, which is quiet once there is none.
import {
  callersOf,
  type Call,
  causesToCancel,
  type Hook,
  isBefore,
  isDone,
  type Model,
  receiptsOf,
  type Resend,
  standingOf,
} from './model.ts';
import { deliveryOf, type Reading } from './reading.ts';

const settledStates = new Set(['delivered', 'exhausted', 'cancelled', 'blocked']);

/** Reports unfinished work at `nowMs` in words. Deliveries held by a paused webhook do not count. */
export function findOwed(model: Model, reading: Reading, nowMs: number): string[] {
  const isPaused = (hook: Hook): boolean =>
    hook.deleted === null && standingOf(model, hook, { fromMs: nowMs, toMs: nowMs }) === 'paused';
  const moving = model.hooks.filter((hook) => !isPaused(hook));
  return [
    ...moving.flatMap((hook) => findUnsettled(model, reading, hook)),
    ...model.resends
      .filter(isDone)
      .flatMap((resend) =>
        resend.hooks
          .filter((hook) => moving.includes(hook) && isUnsent(model, reading, { resend, hook }))
          .map((hook) => `${resend.report.eventId} ${hook.path}: resend not sent`),
      ),
    ...[...reading.replays.values()]
      .filter(({ state }) => state === 'running')
      .map(({ uid }) => `replay ${uid}: running`),
    ...findUnerased(model, reading),
  ];
}

/** "every committed event": each webhook that an event names has a settled delivery of it. */
function findUnsettled(model: Model, reading: Reading, hook: Hook): string[] {
  const heldCount = reading.heldCounts.get(hook.uid) ?? 0;
  return [
    ...(heldCount > 0 ? [`${hook.path}: heldCount ${heldCount} of an active webhook`] : []),
    ...model.reports.flatMap(({ eventId }) => {
      const isSubscriber = reading.events.get(eventId)?.webhookUids.includes(hook.uid) ?? false;
      const delivery = deliveryOf(reading, eventId, hook);
      if (delivery === undefined && !isSubscriber) return [];
      const state = delivery?.state ?? 'without a record';
      return settledStates.has(state) ? [] : [`${eventId} ${hook.path}: ${state}`];
    }),
  ];
}

/**
 * A resend is sent immediately, in any state of the delivery, or to a paused webhook when it is resumed. A later call
 * may own it now or have cancelled it.
 */
function isUnsent(
  model: Model,
  reading: Reading,
  { resend, hook }: { resend: Resend; hook: Hook },
): boolean {
  const pair = { report: resend.report, hook };
  const after = { beganMs: resend.beganMs, endedMs: Infinity };
  // An erasure takes minutes, and cancels open deliveries when it reaches the event.
  const isLater = (call: Call): boolean => isErasure(model, call) || !isBefore(call, resend);
  if (causesToCancel(model, pair).some(isLater)) return false;
  const others = callersOf(model, pair).filter(({ beganMs }) => beganMs > resend.beganMs);
  const wasActive = standingOf(model, hook, { fromMs: after.beganMs, toMs: after.endedMs });
  if (wasActive === 'active' && others.length === 0) {
    const attempts = deliveryOf(reading, resend.report.eventId, hook)?.attempts ?? [];
    return !attempts.some(
      ({ trigger, at }) => trigger === 'resend' && Date.parse(at) >= resend.beganMs,
    );
  }
  return !receiptsOf(model, pair).some(({ atMs }) => atMs >= resend.beganMs);
}

function isErasure(model: Model, call: Call): boolean {
  return model.erasures.some((erasure) => erasure === call);
}

/** An erasure takes away "the payloads of events […] that were recorded until now". */
function findUnerased(model: Model, reading: Reading): string[] {
  return model.reports
    .filter((report) =>
      model.erasures.some(
        (erasure) =>
          isDone(erasure) && erasure.tenant === report.resource.tenant && isBefore(report, erasure),
      ),
    )
    .filter(({ eventId }) => reading.events.get(eventId)?.erasedAt == null)
    .map(({ eventId }) => `${eventId}: not erased`);
}
