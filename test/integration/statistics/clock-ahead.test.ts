// A worker on a machine whose clock is ahead counts no minute before it has ended by MongoDB's clock.
import { expect, test } from 'vitest';
import { startServerClock } from '../../../lib/mongo/server-clock.ts';
import { minuteMs } from '../../../lib/platform/duration.ts';
import { runStatistics } from '../../../worker/statistics.ts';
import { createInstallation } from '../../support/installation.ts';
import { waitFor } from '../../support/wait-for.ts';

test('a worker whose clock is 10 minutes ahead counts up to the last minute, and no further', async () => {
  await using installation = await createInstallation();
  const { store } = installation;
  const startMs = (Math.floor(Date.now() / minuteMs) - 5) * minuteMs;
  const cursor = { countedUntil: new Date(startMs), leaseUntil: new Date(0) };
  await store.statisticsCursors.insertOne({ _id: 'deliveries', ...cursor });
  const countedUntilMs = async (): Promise<number> =>
    (await store.statisticsCursors.findOne())?.countedUntil.getTime() ?? 0;
  const stopping = new AbortController();
  const local = { now: () => new Date(Date.now() + 10 * minuteMs) };
  await using clock = await startServerClock(store, { local });
  const counting = runStatistics({ store, clock }, stopping.signal);
  await waitFor(async () => (await countedUntilMs()) > startMs);
  stopping.abort();
  await counting;
  expect(await countedUntilMs()).toBeLessThan(Date.now());
});
