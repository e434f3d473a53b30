// A process that logs and ends in the way that its argument names, or keeps running and obeys its parent.
import { setImmediate as turn } from 'node:timers/promises';
import { processLog } from '../../lib/platform/logger.ts';
import { type RunningRole, runProcess } from '../../lib/platform/run-process.ts';

// Names that the service does not log.
const log = processLog as { info(fields: object, name: string): void };
const manyLines = 1_000;
// 200 MB in total, several times the heap that the test allows.
const flood = { turns: 100, linesPerTurn: 100, text: 'x'.repeat(20_000) };

function logMany(): void {
  for (let n = 1; n <= manyLines; n += 1) log.info({ n, text: 'ü'.repeat(200) }, 'many');
}

function roleThat(failed: Promise<unknown>): RunningRole {
  return { failed, [Symbol.asyncDispose]: async () => logMany() };
}

const ways: Record<string, () => unknown> = {
  'process.exit': () => process.exit(7),
  'an uncaught error': () => setImmediate(() => throwIt()),
  'an unhandled rejection': () => void Promise.reject(new Error('unhandled')),
  'the natural end': () => undefined,
  'a failed start': () => runProcess('api', async () => throwIt()),
  'a fault of a role': () => {
    return runProcess('api', async () => roleThat(Promise.resolve(new Error('lost'))));
  },
  'SIGTERM to a role': () => runProcess('api', async () => roleThat(new Promise(() => undefined))),
  'many lines': () => {
    logMany();
    process.exit(0);
  },
  'no end': () => process.on('message', (order: string) => void orders[order]?.()),
};

const orders: Record<string, () => unknown> = {
  async flood() {
    let written = 0;
    for (let n = 0; n < flood.turns; n += 1) {
      for (let line = 0; line < flood.linesPerTurn; line += 1) {
        log.info({ text: flood.text }, 'flood');
        written += 1;
      }
      await turn();
    }
    process.send?.(written);
  },
  log: () => log.info({}, 'asked'),
  exit: () => process.exit(0),
};

function throwIt(): never {
  throw new Error('thrown');
}

log.info({ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, 'first');
await ways[process.argv[2] ?? '']?.();
