// A replica set loses its primary in three ways under load: changes are accepted and delivered again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../dev/servers/cluster/cluster.ts';
import { type ClusterFault, testOnCluster } from './cluster-run.ts';

const restartAfterMs = 5_000;
const freezeMs = 20_000;

async function kill({ mongodb }: Cluster): Promise<void> {
  const primary = await mongodb.primary();
  await primary.signal('SIGKILL');
  await sleep(restartAfterMs);
  await primary.start();
}

async function freeze({ mongodb }: Cluster): Promise<void> {
  const primary = await mongodb.primary();
  await primary.signal('SIGSTOP');
  await sleep(freezeMs);
  await primary.signal('SIGCONT');
}

const faults: readonly ClusterFault[] = [
  { name: 'primary killed', atSeconds: 25, backWithinSeconds: 15, make: kill },
  { name: 'primary frozen for 20 s', atSeconds: 55, backWithinSeconds: 15, make: freeze },
  // The last one, because the member that stepped down must not stand for election for a while.
  {
    name: 'primary stepped down',
    atSeconds: 95,
    backWithinSeconds: 15,
    make: ({ mongodb }) => mongodb.stepDown(),
  },
];

// Five times as many can wait for the new primary, and are done soon after there is one (docs/repairing.md).
const requestsAtOnce = 100;

testOnCluster('with the primary killed, frozen and stepped down', {
  faults,
  seconds: 120,
  requestsAtOnce,
});
