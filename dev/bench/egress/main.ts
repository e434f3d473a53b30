// `npm run bench:egress`: what hostile receivers, many origins and the guard cost. No server is needed.
import { parseArgs } from 'node:util';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { readMachine } from '../machine.ts';
import { measureEndlessBodies } from './endless-bodies.ts';
import { measureManyOrigins } from './many-origins.ts';
import type { MemoryUse } from './memory-watch.ts';
import { createLoopbackSender, startReceivers } from './receivers.ts';
import { measureVerdicts } from './verdicts.ts';

/** What docs/security.md promises; the exit code tells whether it holds. */
const targets = { verdictsPerSecondMin: 1_000_000, growthMbMax: 50, attemptMsMax: 5_200 };

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');

function describeMemory({ before, most, growth, loopDelayMs }: MemoryUse): string {
  const memory = `memory ${whole(before)} MB before, ${whole(most)} at most (+${whole(growth)})`;
  return `${memory}; event loop p99 ${whole(loopDelayMs)} ms late`;
}

/** Gives whether all targets are met. */
async function run(seconds: number): Promise<boolean> {
  const open = new Disposal();
  try {
    const { cores, cpuModel, node, measuredAt } = readMachine();
    print(`# Egress, ${measuredAt}: ${cores} × ${cpuModel}, Node ${node}`);
    const rates = measureVerdicts();
    for (const [name, rate] of Object.entries(rates)) print(`- ${name}: ${whole(rate)} a second`);
    const receivers = open.use(await startReceivers());
    const sender = open.use(createLoopbackSender());
    const bodies = await measureEndlessBodies(sender, receivers, seconds);
    const { atOnce, attempts, outcomes, msMax } = bodies;
    print(
      `- ${atOnce} endless bodies at once for ${seconds} s: ${whole(attempts)} attempts, ` +
        `${JSON.stringify(outcomes)}, the longest ${msMax} ms; ${describeMemory(bodies.memory)}`,
    );
    const many = await measureManyOrigins(sender, receivers);
    const { first, later, memory } = many;
    print(`- ${whole(later)} more origins after ${whole(first)}: ${describeMemory(memory)}`);
    const slowest = Math.min(
      ...Object.entries(rates).flatMap(([name, rate]) =>
        name.startsWith('addresses') ? [rate] : [],
      ),
    );
    return (
      slowest >= targets.verdictsPerSecondMin &&
      msMax <= targets.attemptMsMax &&
      Math.max(bodies.memory.growth, memory.growth) < targets.growthMbMax
    );
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
const seconds = Number(values.seconds);
if (!(seconds >= 1 && seconds <= 3_600)) throw new Error('--seconds is from 1 to 3600');
const areTargetsMet = await run(seconds);
if (!areTargetsMet) print(`Not all targets are met: ${JSON.stringify(targets)}`);
process.exitCode = areTargetsMet ? 0 : 1;
