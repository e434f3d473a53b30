// Ends a test run with its slowest files and one plain line, `N passed, N failed`, that scripts can read.
import { relative } from 'node:path';

const slowestShown = 20;

/** A reporter for Jest: a file that fails outside of its tests, or no test at all, counts as a failed one. */
export default class ClosingLine {
  #error;

  onRunComplete(_contexts, { testResults, ...results }) {
    const brokenFiles = testResults.filter(({ testExecError }) => testExecError !== undefined);
    const passed = results.numPassedTests;
    const failed = results.numFailedTests + brokenFiles.length + (testResults.length === 0 ? 1 : 0);
    const skipped = results.numPendingTests + results.numTodoTests;
    if (failed > 0) this.#error = new Error(`${failed} failed`);
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    const closing = [...slowestFiles(testResults), `${passed} passed, ${failed} failed${tail}`];
    // At the exit of the process, so that no other reporter writes below it.
    process.once('exit', () => process.stdout.write(`${closing.join('\n')}\n`));
  }

  /** Jest exits with 1 where this returns an error. */
  getLastError() {
    return this.#error;
  }
}

function slowestFiles(testResults) {
  if (testResults.length < 2) return [];
  const lines = testResults
    .map(({ testFilePath, perfStats }) => ({
      path: relative(process.cwd(), testFilePath),
      ms: perfStats.runtime,
    }))
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, slowestShown)
    .map(({ path, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${path}`);
  return ['Slowest files:', ...lines];
}
