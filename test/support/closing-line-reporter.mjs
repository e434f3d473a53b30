// Ends a test run with its slowest files and one plain line, `N passed, N failed`, that scripts can read.
import { relative } from 'node:path';

const leakTimeoutMs = 10_000;
const slowestShown = 20;

/** A jest reporter: counts tests, and a file that failed to run at all as one failed test. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const brokenFiles = results.testResults.filter((file) => file.testExecError).length;
    const failed = results.numFailedTests + brokenFiles;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    const closing = [
      ...slowestFiles(results),
      `${results.numPassedTests} passed, ${failed} failed${tail}`,
    ];
    // At the exit of the process, so that no other reporter writes below it.
    const leaked = setTimeout(() => {
      process.stderr.write('The run has ended and something still runs: a test leaked it.\n');
      process.exit(1);
    }, leakTimeoutMs);
    leaked.unref();
    process.once('exit', () => process.stdout.write(`${closing.join('\n')}\n`));
  }
}

function slowestFiles({ testResults }) {
  if (testResults.length < 2) return [];
  const slowest = testResults
    .map(({ testFilePath, perfStats: { runtime } }) => ({ testFilePath, runtime }))
    .sort((one, other) => other.runtime - one.runtime)
    .slice(0, slowestShown);
  const lines = slowest.map(({ testFilePath, runtime }) => {
    const seconds = (runtime / 1_000).toFixed(1).padStart(6);
    return `${seconds} s  ${relative(process.cwd(), testFilePath)}`;
  });
  return ['Slowest files:', ...lines];
}
