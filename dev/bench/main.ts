// `npm run bench`: measures latency, throughput and cost under load, and the floor in the same run.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../lib/platform/run-command.ts';
import { helpText, readArguments } from './arguments.ts';
import { compareCheckouts } from './compare.ts';
import type { Report } from './report.ts';
import { runSession } from './session.ts';

const resultsDir = fileURLToPath(new URL('results', import.meta.url));

function print(part: string): void {
  process.stdout.write(`${part}\n\n`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function writeResults(report: Report): Promise<void> {
  await mkdir(resultsDir, { recursive: true });
  const path = join(resultsDir, `${report.machine.measuredAt.replaceAll(/[:.]/g, '-')}.json`);
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
  say(`written: ${path}`);
}

// Returns the exit code: 1 if something was lost, missed its target or could not be measured.
async function main(): Promise<number> {
  const wanted = readArguments(process.argv.slice(2));
  if (wanted.help) {
    process.stdout.write(helpText());
    return 0;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  const { comparison } = wanted;
  if (comparison !== null) return compareCheckouts(comparison, { signal: stop.signal, say, print });
  const report = await runSession({ ...wanted, stop, say, print });
  if (report.scenarios.length > 0) await writeResults(report);
  if (stop.signal.aborted) throw stop.signal.reason;
  for (const { name, missed = [] } of report.scenarios) {
    for (const target of missed) say(`${name} missed its target: ${target}`);
  }
  const isSound = report.scenarios.every(
    ({ error, measurements, missed = [] }) =>
      error === undefined && missed.length === 0 && measurements.every(({ lost }) => lost === 0),
  );
  return isSound ? 0 : 1;
}

await runCommand(async () => {
  process.exitCode = await main();
});
process.exit();
