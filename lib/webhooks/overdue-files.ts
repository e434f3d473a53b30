// Context files stored here that stay in the status `processing` for too long.
import { limits, jobLimits } from '../limits.ts';
import type { ContextFileDocument } from '../model/resource.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';
import { type OverdueFileData, recordNotice } from './notices.ts';

const appsPerBatchMax = 4;
const filesPerAppMax = limits.overdueFilesReportedMax;
const countMax = jobLimits.countedDeliveriesMax;
const hint = 'processing';

export interface OverdueFiles {
  count: number;
  countIsCapped: boolean;
  oldest: OverdueFileData | null;
}

interface Ports {
  store: Store;
  processingOverdueAfterMs: number;
}

/**
 * Records a notice for each overdue file, once per stay in `processing`: for some applications after `after`, and in
 * each the oldest of its files, so that the files of one application delay those of no other.
 */
export async function reportOverdueFiles(
  ports: Ports,
  { now, after }: { now: Date; after: string },
): Promise<{ count: number; after: string; more: boolean }> {
  const { contextFiles } = ports.store;
  const unreported = { 'processing.isReported': false, ...overdueAt(ports, now) };
  let count = 0;
  let appUid = after;
  for (let apps = 0; apps < appsPerBatchMax; apps += 1) {
    const next = await contextFiles
      .find({ ...unreported, appUid: { $gt: appUid } }, { hint })
      .sort({ appUid: 1 })
      .limit(1)
      .next();
    if (next === null) return { count, after: appUid, more: false };
    ({ appUid } = next);
    const files = contextFiles
      .find({ ...unreported, appUid }, { hint })
      .sort({ 'processing.since': 1 })
      .limit(filesPerAppMax);
    for (const file of await files.toArray()) count += await reportOverdue(ports.store, file, now);
  }
  return { count, after: appUid, more: true };
}

// A file that left the status since the read is not reported.
async function reportOverdue(store: Store, file: ContextFileDocument, now: Date): Promise<number> {
  const { _id, appUid, processing } = file;
  return inTransaction(store, async (session) => {
    const { modifiedCount } = await store.contextFiles.updateOne(
      { _id, appUid, processing },
      { $set: { 'processing.isReported': true } },
      { session },
    );
    const event = 'contextfile.processing_overdue';
    const data = describeFile(file);
    if (modifiedCount > 0) await recordNotice(store, { appUid, event, data, now }, session);
    return modifiedCount;
  });
}

/** Counts the overdue files of an application, reported or not, up to 10,000. */
export async function countOverdueFiles(
  ports: Ports,
  { appUid, now }: { appUid: string; now: Date },
): Promise<OverdueFiles> {
  const filter = {
    appUid,
    'processing.isReported': { $in: [false, true] },
    ...overdueAt(ports, now),
  };
  const { contextFiles } = ports.store;
  const [count, oldest] = await Promise.all([
    contextFiles.countDocuments(filter, { limit: countMax + 1, hint }),
    contextFiles.find(filter, { hint }).sort({ 'processing.since': 1 }).limit(1).next(),
  ]);
  return {
    count: Math.min(count, countMax),
    countIsCapped: count > countMax,
    oldest: oldest && describeFile(oldest),
  };
}

// MongoDB uses the partial index only with the redundant `$gt`.
function overdueAt({ processingOverdueAfterMs }: Ports, now: Date) {
  const before = new Date(now.getTime() - processingOverdueAfterMs);
  return { 'processing.since': { $gt: new Date(0), $lte: before } };
}

function describeFile(file: ContextFileDocument): OverdueFileData {
  const { _id: uid, contextUid, fileName, externalTenantId, processing, updatedAt } = file;
  const processingSince = processing?.since ?? updatedAt;
  return { uid, contextUid, fileName, externalTenantId, processingSince };
}
