// `npm start`: the whole service on this machine, with embedded servers unless others are named.
import { once } from 'node:events';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { print } from '../servers/print.ts';
import { takeStartLock } from '../servers/start-lock.ts';
import { announcement } from './announce.ts';
import { launch } from './launch.ts';

const help = `Usage: npm start -- [options]

Starts the service on this machine, and MongoDB and Temporal unless MONGODB_URI and TEMPORAL_ADDRESS
are set, and prints all addresses. Ctrl-C stops it.

  --ephemeral  keep no data, only logs
  --help       show this help

Data and logs are in HERALD_DATA_DIR (default .herald). PORT sets the port of the API (default 3000):
docs/configuration.md, "npm start and the tests".
`;

async function main(): Promise<void> {
  const startedAt = performance.now();
  const ephemeral = isEphemeral();
  const dataDir = resolve(process.env['HERALD_DATA_DIR'] || '.herald');
  const stop = new AbortController();
  const stopAsked = once(stop.signal, 'abort').then(() => print('stopping…'));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());
  await using _lock = await takeStartLock(dataDir);
  try {
    const launched = await launch({
      env: process.env,
      dataDir,
      ephemeral,
      progress: print,
      signal: stop.signal,
    });
    print(
      announcement(launched.dev, {
        dataDir,
        ephemeral,
        startedMs: performance.now() - startedAt,
        temporalNamespace: process.env['TEMPORAL_NAMESPACE'] || 'default',
      }),
    );
    const lost = await Promise.race([stopAsked, launched.lost]);
    if (typeof lost === 'string') {
      print(lost);
      process.exitCode = 1;
    }
    await launched[Symbol.asyncDispose]();
    print('stopped');
  } catch (error) {
    if (error !== stop.signal.reason) throw error;
    print('stopped');
  }
}

/** Also detects the option if npm consumed it, because no `--` preceded it. */
function isEphemeral(): boolean {
  const { values } = parseArgs({ options: { ephemeral: { type: 'boolean', default: false } } });
  return values.ephemeral || process.env['npm_config_ephemeral'] === 'true';
}

await runCommand(main, help);
process.exit();
