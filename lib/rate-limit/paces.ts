import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { coalesce } from '../concurrency/coalesce.ts';
import { attemptLimits } from '../limits.ts';
import type { Pace } from '../model/pace.ts';
import type { Clock } from '../platform/clock.ts';
import { hourMs } from '../platform/duration.ts';
import { type Store } from '../mongo/connect.ts';
import { isDuplicateKey } from '../mongo/transaction.ts';
import { nextTime, type PacedTime, type PaceQuestion } from './pace.ts';

interface RateQuestion extends Omit<PaceQuestion, 'nowMs'> {
  webhookUid: string;
  clock: Clock;
}

// A lost race is another process's success, and a process has one call at a time.
const triesMax = 100;
const keptMs = hourMs;

/**
 * Waits until the webhook's rate has room for a request, 2 s at most, and returns null; or returns the time until which
 * the delivery, in the line since, waits. Rejects with the signal's reason.
 */
export type AwaitTime = (question: WaitQuestion, signal: AbortSignal) => Promise<Date | null>;

type WaitQuestion = Omit<RateQuestion, 'mayWait'>;

/** Gives out times at the rates of webhooks, over all processes; those that ask together share a call. */
export function createPacer(store: Store): AwaitTime {
  const take = createTaker(store);
  let waiting = 0;
  return async (question, signal) => {
    const mayWait = waiting < attemptLimits.rateWaitsAtOnceMax;
    waiting += 1;
    try {
      const { atMs, sends } = await take({ ...question, mayWait });
      if (!sends) return new Date(Math.ceil(atMs));
      await waitUntil(atMs, question.clock, signal);
      return null;
    } finally {
      waiting -= 1;
    }
  };
}

async function waitUntil(atMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  // Several attempts wait with one signal.
  setMaxListeners(0, signal);
  try {
    await setTimeout(Math.max(0, Math.ceil(atMs - clock.now().getTime())), undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function createTaker(store: Store): (question: RateQuestion) => Promise<PacedTime> {
  return coalesce({ itemsPerCallMax: 1_000, callsAtOnceMax: 1 }, async (questions) => {
    const times = new Map<RateQuestion, PacedTime>();
    const webhookUids = new Set(questions.map(({ webhookUid }) => webhookUid));
    const take = async (uid: string): Promise<void> => {
      const asked = questions.filter(({ webhookUid }) => webhookUid === uid);
      const given = await takeTimes(store, uid, asked);
      for (const [index, question] of asked.entries()) {
        times.set(question, given[index] as PacedTime);
      }
    };
    await Promise.all([...webhookUids].map(take));
    return questions.map((question) => times.get(question) as PacedTime);
  });
}

async function takeTimes(
  store: Store,
  webhookUid: string,
  asked: readonly RateQuestion[],
): Promise<PacedTime[]> {
  for (let count = 0; count < triesMax; count += 1) {
    // A majority read would lag behind what was just written.
    const readConcern = { level: 'local' } as const;
    const before = await store.paces.findOne({ _id: webhookUid }, { readConcern });
    let pace: Pace | null = before;
    const times = asked.map((question) => {
      // The times of a question that waited for its call are past.
      const next = nextTime(pace, { ...question, nowMs: question.clock.now().getTime() });
      pace = next.pace;
      return next.time;
    });
    if (await replacePace(store, webhookUid, { before, after: pace })) return times;
  }
  throw new Error(`the pace of ${webhookUid} was changed ${triesMax} times while it was read`);
}

// False where another process was faster, or a change of the webhook began a new line. A write that is lost costs a
// burst: so `w: 1`.
async function replacePace(
  store: Store,
  webhookUid: string,
  { before, after }: { before: Pace | null; after: Pace | null },
): Promise<boolean> {
  if (after === null) return true;
  const { ratePerSecond, sendsFromMs, lineEndsMs } = after;
  const expiresAt = new Date(Math.max(sendsFromMs, lineEndsMs) + keptMs);
  const filter = {
    _id: webhookUid,
    sendsFromMs: before?.sendsFromMs ?? -1,
    lineEndsMs: before?.lineEndsMs ?? -1,
  };
  try {
    const { matchedCount, upsertedCount } = await store.paces.updateOne(
      filter,
      { $set: { ratePerSecond, sendsFromMs, lineEndsMs, expiresAt } },
      { upsert: before === null, writeConcern: { w: 1 } },
    );
    return matchedCount + upsertedCount > 0;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
