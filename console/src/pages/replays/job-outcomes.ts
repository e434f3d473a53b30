import type { ReplayDetail, SyncDetail } from '@agent-herald/client';
import { formatCapped } from '../../statistics/outcomes.ts';

type Job = Pick<ReplayDetail | SyncDetail, 'finishedAt' | 'outcomes'>;

export const waitingNote = 'It begins when earlier replays and syncs have ended.';

const countedMax = 10_000;

/** Returns what became of the deliveries, such as "20 delivered, 1 retrying". */
export function describeOutcomes({ outcomes }: Pick<Job, 'outcomes'>): string {
  const found = Object.entries(outcomes).filter(([, count]) => count > 0);
  const words = found.map(([state, count]) => {
    return `${formatCapped({ count, countIsCapped: count >= countedMax })} ${state}`;
  });
  return words.length === 0 ? 'Nothing was sent' : words.join(', ');
}

/** Checks whether the job runs, or its deliveries are still being made. */
export function isInProgress({ finishedAt, outcomes }: Job): boolean {
  return finishedAt === null || outcomes.pending + outcomes.retrying > 0;
}
