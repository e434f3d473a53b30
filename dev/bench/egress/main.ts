// `npm run bench:egress`: the cost of hostile receivers and of many origins. Needs no server.
import { parseArgs } from 'node:util';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { readMachine } from '../machine.ts';
import { measureEndlessBodies } from './endless-bodies.ts';
import { measureManyOrigins } from './many-origins.ts';
import type { MemoryUse } from './memory-watch.ts';
import { createLoopbackSender, startReceivers } from './receivers.ts';

// Promised by docs/security.md; the exit code reports whether they are met.
const targets = { growthMbMax: 50, attemptMsMax: 5_200 };

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');

function describeMemory({ before, most, growth, loopDelayMs }: MemoryUse): string {
  const memory = `memory ${whole(before)} MB before, ${whole(most)} at most (+${whole(growth)})`;
  return `${memory}; event loop p99 ${whole(loopDelayMs)} ms late`;
}

// Returns whether all targets are met.
async function run(seconds: number): Promise<boolean> {
  const open = new Disposal();
  try {
    const { cores, cpuModel, node, measuredAt } = readMachine();
    print(`# Egress, ${measuredAt}: ${cores} × ${cpuModel}, Node ${node}`);
    const receivers = open.use(await startReceivers());
    const sender = open.use(createLoopbackSender());
    const bodies = await measureEndlessBodies(sender, receivers, seconds);
    const { atOnce, attempts, outcomes, msMax } = bodies;
    print(
      `- ${atOnce} endless bodies at a time for ${seconds} s: ${whole(attempts)} attempts, ` +
        `${JSON.stringify(outcomes)}, the longest ${msMax} ms; ${describeMemory(bodies.memory)}`,
    );
    const { first, later, memory } = await measureManyOrigins(sender, receivers);
    print(`- ${whole(later)} more origins after ${whole(first)}: ${describeMemory(memory)}`);
    return (
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
