// `npm run servers`: MongoDB and Temporal on this machine, without the service.
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Disposal } from '../../lib/platform/disposal.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { findBinaries } from './find-binary.ts';
import { pickPorts } from './free-port.ts';
import type { ProcessExit } from './guarded-process.ts';
import { startMongodb } from './mongodb.ts';
import { print } from './print.ts';
import { startTemporalDevServer } from './temporal.ts';
import { useStarting } from './use-starting.ts';

const help = `Usage: npm run servers -- [options]

Starts MongoDB and Temporal on this machine, prints how to start the service on them, and runs until Ctrl-C
or until one of them ends.

  --data DIR   keeps the data there; otherwise it ends with the servers
  --help       shows this
`;

const preferredPorts = [27_017, 7233, 8233];

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { data: { type: 'string' } } });
  const stop = new AbortController();
  const stopAsked = once(stop.signal, 'abort').then(() => print('stopping…'));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());
  const dataDir = values.data === undefined ? null : resolve(values.data);
  {
    await using open = new Disposal();
    const lost = await Promise.race([stopAsked, run(open, dataDir, stop.signal)]);
    if (typeof lost === 'string') {
      print(lost);
      process.exitCode = 1;
    }
  }
  print('stopped');
}

/** Runs both, and returns a sentence when one of them ends. */
async function run(open: Disposal, dataDir: string | null, signal: AbortSignal): Promise<string> {
  const binaries = await findBinaries(['mongod', 'temporal'], { progress: print });
  const [mongodbPort = 0, temporalPort = 0, uiPort = 0] = await pickPorts(preferredPorts);
  signal.throwIfAborted();
  const folder = (name: string): string | null => (dataDir === null ? null : join(dataDir, name));
  const startingMongodb = startMongodb({
    binary: binaries.mongod,
    dataDir: folder('mongodb'),
    port: mongodbPort,
    progress: print,
  });
  const startingTemporal = startTemporalDevServer({
    binary: binaries.temporal,
    dataDir: folder('temporal'),
    port: temporalPort,
    uiPort,
    namespaces: ['default'],
    progress: print,
  });
  const [mongodb, temporal] = await Promise.all([
    useStarting(open, startingMongodb),
    useStarting(open, startingTemporal),
  ]);
  signal.throwIfAborted();
  print(
    `\nCtrl-C stops them. The service on them:\n\n` +
      `  MONGODB_URI='${mongodb.uri}' TEMPORAL_ADDRESS=${temporal.address} npm start\n`,
  );
  return Promise.race([endOf('MongoDB', mongodb.exited), endOf('Temporal', temporal.exited)]);
}

async function endOf(name: string, exited: Promise<ProcessExit>): Promise<string> {
  const { code, signal } = await exited;
  return `${name} ended (${signal ?? `code ${code}`})`;
}

await runCommand(main, help);
process.exit();
