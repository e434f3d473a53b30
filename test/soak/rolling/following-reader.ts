// A reader of the live stream that reopens it from its last ID whenever it ends.
import type { NewApp } from '../../../lib/access/create-app-with-key.ts';
import { openStream, type StreamReader } from '../../support/event-stream.ts';

export interface FollowingReader extends AsyncDisposable {
  /** In the order of arrival, over all streams. */
  eventIds: readonly string[];
  /** Why each stream ended. */
  reasons: readonly string[];
  /** Streams that were rejected, or cut without a reason. */
  faults: readonly string[];
}

/** Reads all events of an application through `apiUrl`. Returns once the first stream is open. */
export async function followStream(apiUrl: string, app: NewApp): Promise<FollowingReader> {
  const eventIds: string[] = [];
  const reasons: string[] = [];
  const faults: string[] = [];
  const end = new AbortController();
  const isOver = (): boolean => end.signal.aborted;
  const open = (lastEventId: string): Promise<StreamReader> =>
    openStream({ apiUrl, app }, { lastEventId });
  let stream = await open('');
  const following = (async () => {
    while (!isOver()) {
      await stream.ended;
      eventIds.push(...stream.eventIds());
      const closed = stream.messages.find(({ type }) => type === 'closed');
      if (closed !== undefined) reasons.push(String(closed.data['reason']));
      else if (!isOver()) faults.push(`${stream.status}, cut without a reason`);
      if (!isOver()) stream = await open(stream.lastEventId());
    }
  })().catch((error: unknown) => faults.push(String(error)));
  return {
    get eventIds() {
      return [...eventIds, ...stream.eventIds()];
    },
    reasons,
    faults,
    async [Symbol.asyncDispose]() {
      end.abort();
      stream[Symbol.dispose]();
      await following;
    },
  };
}
