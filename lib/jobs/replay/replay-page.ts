import type { ReplayedWebhook, ReplayJob } from '../../model/job.ts';
import type { PartitionKey } from '../../model/partition.ts';
import type { Store } from '../../mongo/connect.ts';
import { findTargets } from '../chosen-events.ts';
import type { PageContext, TakenPage } from '../page.ts';
import { requeueChosen } from '../requeue.ts';
import type { TakenDelivery } from '../taken-by-job.ts';
import {
  addCounts,
  checkedMaxOf,
  type Scan,
  type Scanning,
  scanReplay,
  webhooksPerPageMax,
} from './replay-scan.ts';

// Bounds the transaction of a page, in addition to its rate and its webhooks.
const checkedPerPageMax = 1_000;

/** Takes the next deliveries of a replay, at most `perSecond`, one webhook after another. */
export async function takeReplayPage(
  store: Store,
  replay: ReplayJob,
  context: PageContext,
): Promise<TakenPage> {
  const { webhookUids, perSecond } = replay;
  const { now, session } = context;
  const next = webhookUids.slice(replay.webhooksDone, replay.webhooksDone + webhooksPerPageMax);
  const webhooks = await findTargets(store, { ...replay, webhookUids: next }, session);
  const partitions: PartitionKey[] = [];
  const takenByJob: TakenDelivery[] = [];
  const sent: ReplayedWebhook[] = [];
  let { webhooksDone, cursor } = replay;
  let room = perSecond;
  let toCheck = checkedPerPageMax;
  for (const webhookUid of next) {
    if (room === 0 || toCheck === 0) break;
    const webhook = webhooks.get(webhookUid);
    if (webhook !== undefined) {
      const bounds = { after: cursor, room, toCheck: Math.min(toCheck, checkedMaxOf(webhook)) };
      const found = await chooseNext(store, { replay, webhook, now, session }, bounds);
      const { chosen, isEnd } = found;
      const requeue = { job: replay, webhook, chosen };
      partitions.push(...(await requeueChosen(store, requeue, context)));
      takenByJob.push(...chosen.flatMap(({ delivery }) => delivery ?? []));
      sent.push({ webhookUid, count: chosen.length });
      cursor = found.last;
      room -= chosen.length;
      toCheck -= found.checked;
      if (!isEnd) break;
    }
    webhooksDone += 1;
    // The cursor of the last webhook is kept, to show how far the replay came.
    if (webhooksDone < webhookUids.length) cursor = '';
  }
  return {
    cursor,
    count: perSecond - room,
    isEnd: webhooksDone >= webhookUids.length,
    partitions,
    takenByJob,
    progress: { webhooksDone, webhooks: addCounts(replay.webhooks, sent) },
  };
}

// Reads one event more than there is room for, to see the end, and twice as many each time, until enough match.
async function chooseNext(
  store: Store,
  scanning: Omit<Scanning, 'after' | 'countMax'>,
  { after, room, toCheck }: { after: string; room: number; toCheck: number },
): Promise<Scan> {
  const found: Scan = { chosen: [], checked: 0, last: after, isEnd: false };
  for (let size = room + 1; ; size *= 2) {
    const countMax = Math.min(size, toCheck - found.checked);
    const scan = await scanReplay(store, { ...scanning, after: found.last, countMax });
    found.chosen.push(...scan.chosen);
    found.checked += scan.checked;
    const isCut = found.chosen.length > room;
    const chosen = found.chosen.slice(0, room);
    found.last = isCut ? (chosen.at(-1)?.event._id ?? after) : scan.last;
    found.isEnd = scan.isEnd && !isCut;
    // A short read is the end, or reaches events that are still being written.
    const isLast = scan.checked < countMax || found.checked >= toCheck;
    if (isLast || chosen.length === room) return { ...found, chosen };
  }
}
