// Ends a test run with its slowest files and one plain line, `N passed, N failed`, that scripts can read.
import { relative } from 'node:path';

const slowestShown = 20;

/** A vitest reporter: counts tests; an error outside of a test, or no test at all, counts as a failed one. */
export default class ClosingLineReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    if (modules.length === 0) counts.failed += 1;
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    const skipped = counts.skipped + counts.pending;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    const closing = [
      ...slowestFiles(modules),
      `${counts.passed} passed, ${counts.failed} failed${tail}`,
    ];
    // At the exit of the process, so that no other reporter writes below it.
    process.once('exit', () => process.stdout.write(`${closing.join('\n')}\n`));
  }
}

function slowestFiles(modules) {
  if (modules.length < 2) return [];
  const lines = modules
    .map((module) => ({ path: relative(process.cwd(), module.moduleId), ms: durationMs(module) }))
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, slowestShown)
    .map(({ path, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${path}`);
  return ['Slowest files:', ...lines];
}

function durationMs(module) {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return collectDuration + setupDuration + duration;
}
