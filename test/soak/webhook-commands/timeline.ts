// The timeline of a sequence, to find the cause of a fault.
import type { Call, Model } from './model.ts';
import type { Reading } from './reading.ts';

/** Returns a line for each call, each received request, and the final state of each delivery. */
export function timelineOf(model: Model, reading: Reading): string[] {
  const lines: { atMs: number; text: string }[] = [];
  const tell = (call: Call, text: string): void => {
    const lastedMs = call.endedMs - call.beganMs;
    lines.push({ atMs: call.beganMs, text: `${text} -> ${call.status} after ${lastedMs} ms` });
  };
  for (const hook of model.hooks) {
    tell(hook.registered, `register ${hook.path} ${hook.ordering} ${hook.uid}`);
    if (hook.deleted !== null) tell(hook.deleted, `delete ${hook.path}`);
  }
  for (const report of model.reports) {
    const { event, uid } = report.resource;
    const sequence = reading.events.get(report.eventId)?.sequence;
    tell(report, `report ${event} ${uid} #${sequence} ${report.eventId}`);
  }
  for (const setting of model.settings) {
    const { hook, active, discards, ordering } = setting;
    tell(setting, `set ${hook.path} ${JSON.stringify({ active, discards, ordering })}`);
  }
  for (const resend of model.resends) {
    const to = resend.hooks.map(({ path }) => path).join();
    tell(resend, `resend ${resend.report.eventId} to ${to}`);
  }
  for (const replay of model.replays) {
    const { hook, uid, states, sinceMs, doneMs } = replay;
    const shown = reading.replays.get(uid);
    const range = `since ${sinceMs - model.beganMs}, done ${doneMs - model.beganMs}`;
    tell(
      replay,
      `replay ${uid} to ${hook.path} ${states.join()} ${range} ${shown?.state} ${shown?.releasedCount}`,
    );
  }
  for (const cancel of model.cancels) tell(cancel, `cancel ${cancel.replay.uid}`);
  for (const erasure of model.erasures) tell(erasure, `erase ${erasure.tenant}`);
  for (const { path, eventId, attempt, sequence, status, atMs, answeredMs } of model.receipts) {
    const text = `  ${path} got ${eventId} #${sequence} attempt ${attempt}: ${status}`;
    lines.push({ atMs, text: `${text} after ${answeredMs - atMs} ms` });
  }
  return [
    ...lines
      .toSorted((a, b) => a.atMs - b.atMs)
      .map(({ atMs, text }) => `${String(atMs - model.beganMs).padStart(6)} ${text}`),
    ...reading.deliveries.map(({ eventId, webhookUid, state, attempts }) => {
      const made = attempts.map(({ n, at, trigger, status }) => {
        return `${n} ${trigger} ${status} at ${Date.parse(at) - model.beganMs}`;
      });
      const erasedAt = reading.events.get(eventId)?.erasedAt ?? null;
      const erased = erasedAt === null ? '' : ` erased at ${Date.parse(erasedAt) - model.beganMs}`;
      return `${eventId} ${webhookUid} ${state}${erased} [${made.join('; ')}]`;
    }),
  ];
}
