import type { PartitionDocument } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';
import { scheduleSignal } from './partitions.ts';

const partitionsPerPage = 1_000;

/** Makes the relay soon signal all partitions in which a number waits, except parked ones. Returns their number. */
export async function scheduleAllSignals(store: Store, now: Date): Promise<number> {
  let count = 0;
  for (let after = ''; ;) {
    const page = await store.partitions
      .find({ _id: { $gt: after } }, { projection: { settled: 1, retry: 1 } })
      .sort({ _id: 1 })
      .limit(partitionsPerPage)
      .toArray();
    const last = page.at(-1)?._id;
    if (last === undefined) return count;
    const issued = await findIssued(store, page);
    for (const { _id, settled, retry } of page) {
      if (settled >= (issued.get(_id) ?? 0) || retry?.isParked === true) issued.delete(_id);
    }
    await scheduleSignal(store, [...issued.keys()], { now });
    count += issued.size;
    after = last;
  }
}

async function findIssued(
  store: Store,
  partitions: readonly Pick<PartitionDocument, '_id'>[],
): Promise<Map<string, number>> {
  const found = store.sequences.find({ _id: { $in: partitions.map(({ _id }) => _id) } });
  return new Map(await found.map(({ _id, last }) => [_id, last] as const).toArray());
}
