// The faults that alerts are tried with, and which alert each must raise.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './stage.ts';

export interface Fault {
  name: string;
  /** The alert that it raises, alone. */
  alert: string;
  /** At the times of the rules, from the begin of the fault. */
  firesWithinSeconds: number;
  /** From its end. */
  clearsWithinSeconds: number;
  /** Returns what ends it. */
  inflict(stage: Stage): Promise<() => Promise<void>>;
}

export const faults: readonly Fault[] = [
  {
    name: 'receiver-down',
    alert: 'HeraldUndelivered',
    firesWithinSeconds: 420,
    clearsWithinSeconds: 120,
    async inflict({ receiver }) {
      receiver.status = 503;
      return async () => void (receiver.status = 200);
    },
  },
  {
    name: 'temporal-stopped',
    alert: 'HeraldTemporalAway',
    firesWithinSeconds: 120,
    clearsWithinSeconds: 120,
    async inflict({ temporal }) {
      await temporal.stop();
      return () => temporal.start();
    },
  },
  {
    name: 'mongodb-stopped',
    alert: 'HeraldMongodbAway',
    firesWithinSeconds: 120,
    clearsWithinSeconds: 120,
    async inflict({ mongodb }) {
      await mongodb.stop();
      return () => mongodb.start();
    },
  },
  {
    name: 'relay-only',
    alert: 'HeraldDispatchFailing',
    firesWithinSeconds: 420,
    clearsWithinSeconds: 240,
    async inflict({ apiToTemporal }) {
      apiToTemporal.close();
      return async () => apiToTemporal.open();
    },
  },
  {
    name: 'worker-stopped',
    alert: 'HeraldProcessDown',
    firesWithinSeconds: 120,
    clearsWithinSeconds: 60,
    async inflict(stage) {
      stage.signal('worker', 'SIGSTOP');
      return async () => stage.signal('worker', 'SIGCONT');
    },
  },
  {
    name: 'worker-starved',
    alert: 'HeraldStarved',
    firesWithinSeconds: 210,
    clearsWithinSeconds: 120,
    inflict: starveWorker,
  },
];

// Of each second the worker runs so long, as on a machine that is too small.
const runMs = 100;
const stopMs = 900;

async function starveWorker(stage: Stage): Promise<() => Promise<void>> {
  const end = new AbortController();
  const starving = (async () => {
    while (!end.signal.aborted) {
      stage.signal('worker', 'SIGSTOP');
      await sleep(stopMs);
      stage.signal('worker', 'SIGCONT');
      await sleep(runMs);
    }
  })();
  return async () => {
    end.abort();
    await starving;
  };
}
