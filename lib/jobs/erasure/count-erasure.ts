// The dry run of an erasure.
import { inSlices } from '../../concurrency/in-slices.ts';
import { jobLimits } from '../../limits.ts';
import { pairsOf } from '../../model/delivery.ts';
import { openStates } from '../../model/delivery-state.ts';
import { deliveredEventNames, entities, type Entity } from '../../model/event-name.ts';
import { type ErasureSubject, noCounts } from '../../model/job.ts';
import type { Store } from '../../mongo/connect.ts';
import { readStored } from '../stored-resources.ts';
import { eventsPerChunk, findErasable } from './erase-chunk.ts';
import { subjectCheck } from './erasure-subject.ts';

const { countedDeliveriesMax: countedMax, countedEventsMax: checkedMax, countingMsMax } = jobLimits;

/** What a dry run of an erasure counts. The resources are kept, and their later changes are stored as usual. */
export interface CountedErasure {
  /** Payloads that would be deleted. */
  count: number;
  /** Open deliveries that would be cancelled. */
  openCount: number;
  keptResources: Record<Entity, number>;
  countIsCapped: boolean;
}

/** Counts what an erasure would delete now: up to 10,000 payloads among 100,000 events, for at most 5 s. */
export async function countErasure(
  store: Store,
  { appUid, subject }: { appUid: string; subject: ErasureSubject },
): Promise<CountedErasure> {
  const untilMs = performance.now() + countingMsMax;
  const kept = await countKept(store, { appUid, subject, untilMs });
  const counted = { count: 0, openCount: 0, ...kept };
  const ofTenant = { event: { $in: [...deliveredEventNames] }, ...subject };
  const scope = 'externalTenantId' in subject ? { appUid, ...ofTenant } : { appUid };
  const hint = 'externalTenantId' in subject ? 'tenant' : 'app';
  let cursor = '';
  for (let checked = 0; ; checked += eventsPerChunk) {
    const next = await store.events
      .find({ ...scope, _id: { $gt: cursor } }, { projection: { _id: 1 }, hint })
      .sort({ _id: 1 })
      .limit(eventsPerChunk)
      .map(({ _id }) => _id)
      .toArray();
    const events = { appUid, _id: { $in: next } };
    const found = await findErasable(store, events, { subject, erasureUid: '' });
    counted.count += found.length;
    const open = { _id: pairsOf(found), state: { $in: [...openStates] } };
    counted.openCount += found.length === 0 ? 0 : await store.deliveries.countDocuments(open);
    if (next.length < eventsPerChunk) return counted;
    cursor = next.at(-1) ?? '';
    const isLate = performance.now() > untilMs || checked >= checkedMax;
    if (isLate || counted.count >= countedMax) return { ...counted, countIsCapped: true };
  }
}

async function countKept(
  store: Store,
  { appUid, subject, untilMs }: { appUid: string; subject: ErasureSubject; untilMs: number },
): Promise<Pick<CountedErasure, 'keptResources' | 'countIsCapped'>> {
  const keptResources = { ...noCounts };
  const isOfSubject = subjectCheck([subject]);
  let checked = 0;
  for (const entity of entities) {
    for await (const data of inSlices(readStored(store, { appUid, entity, after: '' }))) {
      checked += 1;
      if (isOfSubject(data)) keptResources[entity] += 1;
      const isLate = checked >= checkedMax || performance.now() > untilMs;
      if (isLate) return { keptResources, countIsCapped: true };
    }
  }
  return { keptResources, countIsCapped: false };
}
