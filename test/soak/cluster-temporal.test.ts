// A Temporal server loses a history process, then its only frontend, under load: deliveries continue.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, memberOf } from '../../dev/servers/cluster/cluster.ts';
import { type ClusterFault, testOnCluster } from './cluster-run.ts';

const restartAfterMs = 8_000;

async function killOne(cluster: Cluster, name: string): Promise<void> {
  const member = memberOf(cluster, name);
  await member.signal('SIGKILL');
  await sleep(restartAfterMs);
  await member.start();
}

const faults: readonly ClusterFault[] = [
  {
    name: 'history process killed',
    atSeconds: 25,
    backWithinSeconds: 15,
    make: (cluster) => killOne(cluster, 'temporal-history-2'),
  },
  {
    name: 'frontend killed',
    atSeconds: 65,
    backWithinSeconds: 15,
    make: (cluster) => killOne(cluster, 'temporal-frontend'),
  },
];

testOnCluster('with a history process and the frontend killed', { faults, seconds: 95 });
