import { coalesce } from '../concurrency/coalesce.ts';
import type { Pace } from '../model/pace.ts';
import type { Clock } from '../platform/clock.ts';
import { isDuplicateKey, type Store } from '../mongo/connect.ts';
import { nextTime, type PacedTime, type PaceQuestion } from './pace.ts';

export interface RateQuestion extends Omit<PaceQuestion, 'nowMs'> {
  webhookUid: string;
  clock: Clock;
}

// A lost race is another process's success, and a process has one call at a time.
const triesMax = 100;
const keptMs = 60 * 60 * 1_000;

/** Gives out times at the rates of webhooks, over all processes; those that ask together share a call. */
export function createPacer(store: Store): (question: RateQuestion) => Promise<PacedTime> {
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

// False where another process was faster. Lost with its MongoDB, it costs a burst: so `w: 1`.
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
    await store.paces.updateOne(
      filter,
      { $set: { ratePerSecond, sendsFromMs, lineEndsMs, expiresAt } },
      { upsert: true, writeConcern: { w: 1 } },
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
