// The responses that the docs allow for the calls of a sequence.
import {
  type Call,
  type Hook,
  isBefore,
  isDone,
  type Model,
  type Resend,
  standingOf,
} from './model.ts';

/** Reports the calls with a response that the docs do not allow. */
export function findBadAnswers(model: Model): string[] {
  const faults: string[] = [];
  const check = (what: string, call: Call, allowed: readonly (number | false)[]): void => {
    if (!allowed.includes(call.status)) faults.push(`${what}: answer ${call.status}`);
  };
  for (const report of model.reports) check('report', report, [202]);
  for (const { registered, deleted } of model.hooks) {
    check('register', registered, [201]);
    if (deleted !== null) check('delete', deleted, [204]);
  }
  for (const erasure of model.erasures) check('erase', erasure, [202]);
  for (const setting of model.settings) {
    const { hook, discards, beganMs: fromMs, endedMs: toMs } = setting;
    const wasPaused = standingOf(model, hook, { fromMs, toMs, except: setting }) === 'paused';
    // "of a webhook that is active already it is refused (409 `conflict`), unless its latest resume was with `discard`"
    const mayConflict = discards && !wasPaused;
    check('patch', setting, [200, mayBeGone(hook, setting) && 404, mayConflict && 409]);
  }
  for (const replay of model.replays) {
    check('replay', replay, [202, mayBeGone(replay.hook, replay) && 404]);
  }
  for (const cancel of model.cancels) {
    check('cancel', cancel, [200, mayBeGone(cancel.replay.hook, cancel) && 404]);
  }
  for (const resend of model.resends) {
    const oneIsGone = resend.hooks.some((hook) => mayBeGone(hook, resend));
    // "one whose payload was erased cannot be sent (409 `conflict`)"
    check('resend', resend, [202, mayBeErased(model, resend) && 409, oneIsGone && 422]);
    faults.push(...judgePausedUids(model, resend));
  }
  return faults;
}

function mayBeGone({ deleted }: Hook, call: Call): boolean {
  return deleted !== null && !isBefore(call, deleted);
}

function mayBeErased({ erasures }: Model, resend: Resend): boolean {
  const { report } = resend;
  return erasures.some(
    (erasure) =>
      erasure.tenant === report.resource.tenant &&
      !isBefore(erasure, report) &&
      !isBefore(resend, erasure),
  );
}

/** "`pausedWebhookUids` are those of them that are paused" */
function judgePausedUids(model: Model, resend: Resend): string[] {
  if (!isDone(resend)) return [];
  const { beganMs: fromMs, endedMs: toMs, pausedUids } = resend;
  return resend.hooks
    .filter((hook) => {
      const standing = standingOf(model, hook, { fromMs, toMs });
      return standing !== 'unknown' && pausedUids.includes(hook.uid) !== (standing === 'paused');
    })
    .map(({ path }) => `resend of ${resend.report.eventId}: wrong about ${path} being paused`);
}
