// The dry run of a sync.
import { jobLimits } from '../../limits.ts';
import { noCounts, type SyncJob } from '../../model/job.ts';
import type { Store } from '../../mongo/connect.ts';
import { findTargets } from '../chosen-events.ts';
import { addCounts, scanResources } from './sync-scan.ts';

const { countedDeliveriesMax: countedMax, countedEventsMax: checkedMax, countingMsMax } = jobLimits;

interface CountedSync extends Pick<SyncJob, 'counts' | 'count'> {
  countIsCapped: boolean;
}

/** Counts what a sync would send now: up to 10,000 deliveries among 100,000 resources, for at most 5 s. */
export async function countSync(store: Store, sync: SyncJob): Promise<CountedSync> {
  const counted: CountedSync = { count: 0, countIsCapped: false, counts: noCounts };
  const { webhookUid } = sync;
  const targets = await findTargets(store, { ...sync, webhookUids: [webhookUid] });
  const webhook = targets.get(webhookUid);
  if (webhook === undefined) return counted;
  const untilMs = performance.now() + countingMsMax;
  let checked = 0;
  for (let cursor = '', isEnd = false; !isEnd;) {
    const countMax = countedMax - counted.count;
    if (countMax === 0 || checked >= checkedMax || performance.now() > untilMs) {
      return { ...counted, countIsCapped: true };
    }
    const scan = await scanResources(store, { sync, webhook, cursor, countMax });
    counted.count += scan.found.length;
    counted.counts = addCounts(counted.counts, scan.found);
    checked += scan.checked;
    ({ cursor, isEnd } = scan);
  }
  return counted;
}
