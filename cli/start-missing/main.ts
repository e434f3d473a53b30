// `npm run start-missing`: after a restore, restarts the workflows that Temporal or MongoDB has lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { readConfig } from '../../lib/config/config.ts';
import { raiseTokenEpochs } from '../../lib/identity/token-epochs.ts';
import { scheduleAllSignals } from '../../lib/order/after-restore.ts';
import { checkSecrets } from '../../lib/mongo/secret-checks.ts';
import { startMissing } from './start-missing.ts';
import { connectStore } from '../../lib/mongo/connect.ts';
import { startServerClock } from '../../lib/mongo/server-clock.ts';
import { raiseFloor, raiseSequences } from '../../lib/mongo/raise-counts.ts';
import { dayMs } from '../../lib/platform/duration.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { readTime } from '../../lib/platform/time.ts';
import { checkNamespace, unreachable } from '../../lib/temporal/check-namespace.ts';
import { linkingToConsole } from '../../lib/temporal/console-links.ts';

const help = `Usage: npm run start-missing -- [options]

For use after a restore of MongoDB or Temporal (docs/backup.md). Starts the missing workflows of all
applications: those of deliveries that wait for their first attempt or a retry, and of running jobs.
Running workflows are left alone, so the command is safe to repeat, also while the service runs. It
waits 10 s first, so that work in flight can finish.

  --since TIME           look for events without any attempt from this time on, such as
                         2026-11-21T17:00:00Z; default: three days ago
  --mongodb-rolled-back  MongoDB was restored to an earlier moment: raise the sequence numbers
                         of all resources, because receivers have seen higher ones, and revoke
                         the tokens of all users; use it once per restore, before the api starts
  --help                 show this help

The settings are those of the service: docs/configuration.md.
`;

const sinceDefaultMs = 3 * dayMs;
// Lets the service start the workflows of events recorded before, and finish their first attempts.
const settleMs = 10_000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      since: { type: 'string' },
      'mongodb-rolled-back': { type: 'boolean', default: false },
    },
  });
  const wanted = values.since === undefined ? undefined : readTime(values.since);
  if (wanted === null) throw new Error('--since needs a time such as 2026-11-21T17:00:00Z');
  const config = readConfig(process.env);
  const { address, namespace, connectionOptions } = config.temporal;
  await using store = await connectStore(config.mongodb);
  await checkSecrets(store, config);
  await using clock = await startServerClock(store);
  const before = clock.now();
  const since = wanted ?? new Date(before.getTime() - sinceDefaultMs);
  const connection = await Connection.connect({ ...connectionOptions, address }).catch(
    (cause: unknown) => {
      throw unreachable(config.temporal, cause);
    },
  );
  try {
    await checkNamespace(connection, config.temporal);
    const isRolledBack = values['mongodb-rolled-back'];
    if (isRolledBack) {
      await raiseFloor(store, before);
      say(`Revoked the tokens of ${await raiseTokenEpochs(store, before)} users.`);
    }
    await sleep(settleMs);
    // Afterwards, because a running process may have begun counters below the new floor meanwhile.
    if (isRolledBack) {
      say(`Raised the sequence numbers of ${await raiseSequences(store, before)} resources.`);
    }
    const workflow = [linkingToConsole(config.http.publicUrl)];
    const client = new Client({ connection, namespace, interceptors: { workflow } });
    const ports = { store, client };
    const apps = await store.apps.find({}, { projection: { _id: 1 } }).toArray();
    const appUids = apps.map(({ _id }) => _id);
    const { waiting, started, jobs } = await startMissing(ports, appUids, { since, before });
    say(`${waiting} deliveries waiting; started ${started} of their workflows and ${jobs} jobs.`);
    const moved = await scheduleAllSignals(store, clock.now());
    say(`Ordered deliveries of ${moved} resources continue within seconds.`);
  } finally {
    await connection.close();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await runCommand(main, help);
