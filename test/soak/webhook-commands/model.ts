// The calls of a sequence and the effects that the docs allow. Each call is recorded with the time from its start to
// its response. Overlapping calls may have been executed in either order, so questions about them are answered
// "certainly", "certainly not" or "unknown".

/** A call of the API. `endedMs` is Infinity and `status` 0 while it is in flight. */
export interface Call {
  beganMs: number;
  endedMs: number;
  status: number;
}

export interface Hook {
  /** The path of its URL. */
  path: string;
  uid: string;
  ordering: Ordering;
  registered: Call;
  deleted: Call | null;
}

export type Ordering = 'parallel' | 'resource';

export interface Resource {
  event: 'agent.updated' | 'context.updated';
  uid: string;
  tenant: string;
}

/** A reported change. `eventId` is empty until the response. */
export interface Report extends Call {
  resource: Resource;
  eventId: string;
}

/** A `PATCH` of a webhook. Null for fields that it does not change. */
export interface Setting extends Call {
  hook: Hook;
  active: boolean | null;
  discards: boolean;
  ordering: Ordering | null;
}

export interface Resend extends Call {
  report: Report;
  hooks: readonly Hook[];
  pausedUids: readonly string[];
}

/** A replay. `doneMs` is the time when the API showed it as done. */
export interface Replay extends Call {
  hook: Hook;
  uid: string;
  sinceMs: number;
  states: readonly string[];
  doneMs: number;
}

export interface Erasure extends Call {
  tenant: string;
}

/** A request that a receiver got, and its response. */
export interface Receipt {
  path: string;
  eventId: string;
  attempt: number;
  sequence: number;
  body: string;
  status: number;
  atMs: number;
  answeredMs: number;
}

export interface Model {
  beganMs: number;
  hooks: Hook[];
  /** The two webhooks that commands use. A new one replaces a deleted one. */
  slots: Hook[];
  reports: Report[];
  settings: Setting[];
  resends: Resend[];
  replays: Replay[];
  cancels: (Call & { replay: Replay })[];
  erasures: Erasure[];
  receipts: Receipt[];
  /** Calls whose responses no command has waited for. */
  inFlight: Promise<unknown>[];
}

/** An event at a webhook. */
export interface Pair {
  report: Report;
  hook: Hook;
}

/** The number of attempts in the webhooks' `retrySchedule`. */
export const attemptsMax = 3;

/** Creates the model of a sequence that starts now. */
export function newModel(beganMs: number): Model {
  return {
    beganMs,
    hooks: [],
    slots: [],
    reports: [],
    settings: [],
    resends: [],
    replays: [],
    cancels: [],
    erasures: [],
    receipts: [],
    inFlight: [],
  };
}

/** Checks whether the first call had ended before the second one started. */
export function isBefore(first: Pick<Call, 'endedMs'>, second: Pick<Call, 'beganMs'>): boolean {
  return first.endedMs < second.beganMs;
}

/** Checks whether a call succeeded. */
export function isDone({ status }: Call): boolean {
  return status >= 200 && status < 300;
}

/** Returns the requests about an event at a webhook, in the order of their arrival. */
export function receiptsOf(model: Model, { report, hook }: Pair): Receipt[] {
  const mine = ({ path, eventId }: Receipt): boolean =>
    path === hook.path && eventId === report.eventId;
  return model.receipts.filter(mine);
}

/** Checks whether a webhook was active during a whole time span, except for the effect of one setting. */
export function standingOf(
  model: Model,
  hook: Hook,
  { fromMs, toMs, except }: { fromMs: number; toMs: number; except?: Setting },
): 'active' | 'paused' | 'unknown' {
  const set = model.settings.filter(
    (setting) => setting.hook === hook && setting !== except && isDone(setting),
  );
  const changes = [{ ...hook.registered, active: true as boolean | null }, ...set].filter(
    ({ active, beganMs }) => active !== null && beganMs <= toMs,
  );
  const isOver = (change: Call): boolean =>
    changes.some((later) => isBefore(change, later) && later.endedMs < fromMs);
  const values = new Set(changes.filter((change) => !isOver(change)).map(({ active }) => active));
  if (values.size !== 1) return 'unknown';
  return values.has(true) ? 'active' : 'paused';
}

/**
 * Returns the calls that may have cancelled a delivery: "the webhook was deleted, resumed with `discard` […]
 * or its payload erased". An erasure is about "events that were recorded until now", a discard about "what the
 * pause kept back"; of a webhook that is active already it "is refused, unless its latest resume was with
 * `discard`: then […] asking again changes nothing".
 */
export function causesToCancel(model: Model, { report, hook }: Pair): Call[] {
  const discards = model.settings.filter(
    (setting) => setting.discards && setting.hook === hook && !changesNothing(model, setting),
  );
  const erasures = model.erasures.filter(({ tenant }) => tenant === report.resource.tenant);
  const deleted = hook.deleted === null ? [] : [hook.deleted];
  return [
    ...[...discards, ...erasures].filter((call) => isDone(call) && !isBefore(call, report)),
    ...deleted,
  ];
}

function changesNothing(model: Model, setting: Setting): boolean {
  const { beganMs: fromMs, endedMs: toMs } = setting;
  return standingOf(model, setting.hook, { fromMs, toMs, except: setting }) === 'active';
}

/** A resend or replay of an event, from its call until it has enqueued the event. */
export type Caller = Call & { isResend: boolean };

// The maximum time from a response to its record.
const recordedWithinMs = 2_000;

/**
 * Returns the resends and replays that may have sent an event to a webhook again. A replay sends "events recorded
 * from" `since` on and "before" `until`, which is "now by default", and those in one of its `states`.
 */
export function callersOf(model: Model, pair: Pair): Caller[] {
  const { report, hook } = pair;
  const resends = model.resends.filter(
    (resend) => isDone(resend) && resend.report === report && resend.hooks.includes(hook),
  );
  const replays = model.replays.filter(
    (replay) =>
      isDone(replay) &&
      replay.hook === hook &&
      replay.sinceMs <= report.endedMs &&
      !isBefore(replay, report),
  );
  const receipts = receiptsOf(model, pair);
  const mayFind = (replay: Replay): boolean =>
    resends.length > 0 ||
    replays.length > 1 ||
    replay.states.includes('delivered') ||
    receipts.findLast(({ answeredMs }) => answeredMs + recordedWithinMs < replay.beganMs)
      ?.status !== 200;
  return [
    ...resends.map((resend) => ({ ...resend, isResend: true })),
    ...replays
      .filter(mayFind)
      .map((replay) => ({ ...replay, endedMs: replay.doneMs, isResend: false })),
  ];
}
