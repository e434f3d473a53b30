// Ends a test run with one plain line, `N passed, N failed`, that scripts can read.

const leakTimeoutMs = 10_000;

/** A jest reporter: counts tests, and a file that failed to run at all as one failed test. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const brokenFiles = results.testResults.filter((file) => file.testExecError).length;
    const failed = results.numFailedTests + brokenFiles;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    const line = `${results.numPassedTests} passed, ${failed} failed${tail}\n`;
    // At the exit of the process, so that no other reporter writes below it.
    const leaked = setTimeout(() => {
      process.stderr.write('The run has ended and something still runs: a test leaked it.\n');
      process.exit(1);
    }, leakTimeoutMs);
    leaked.unref();
    process.once('exit', () => process.stdout.write(line));
  }
}
