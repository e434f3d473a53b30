// The workflow that a request to erase starts: both looks of that one erasure, in bounded batches.
import { continueAsNew, sleep } from '@temporalio/workflow';
import { eraseBatch } from './activity-options.ts';

const batchesPerRunMax = 500;

/**
 * Goes on until the erasure is done, whoever did it, and sleeps until its second look in between.
 * Gives how many payloads it took away. A long one goes on as a new run, with what the ones before
 * took.
 */
export async function erase(erasureUid: string, erasedBefore: number = 0): Promise<number> {
  let sum = erasedBefore;
  for (let count = 0; count < batchesPerRunMax; count += 1) {
    const { erased, more, waitMs } = await eraseBatch({ erasureUid });
    sum += erased;
    if (more) continue;
    if (waitMs === undefined) return sum;
    await sleep(waitMs);
  }
  return continueAsNew<typeof erase>(erasureUid, sum);
}
