// `npm start`: the whole service on this machine, with embedded servers where none are named.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { takeStartLock } from '../servers/start-lock.ts';
import { announcement } from './announce.ts';
import { launch } from './launch.ts';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const { values } = parseArgs({ options: { ephemeral: { type: 'boolean', default: false } } });
  const dataDir = resolve(process.env['HERALD_DATA_DIR'] || '.herald');
  const stopAsked = new Promise<string>((done) => {
    process.on('SIGINT', () => done('stopping'));
    process.on('SIGTERM', () => done('stopping'));
    process.on('SIGHUP', () => done('stopping'));
  });
  const lock = await takeStartLock(dataDir);
  try {
    const launched = await launch({
      env: process.env,
      dataDir,
      ephemeral: values.ephemeral,
      progress: say,
    });
    say(
      announcement(launched.dev, {
        dataDir,
        ephemeral: values.ephemeral,
        startedMs: performance.now() - startedAt,
      }),
    );
    const reason = await Promise.race([stopAsked, launched.lost]);
    say(reason === 'stopping' ? 'stopping…' : reason);
    if (reason !== 'stopping') process.exitCode = 1;
    await launched[Symbol.asyncDispose]();
    say('stopped');
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

await runCommand(main);
process.exit();
