// What a run of the tests must not hide (test/runner).
import { execFile } from 'node:child_process';

/** Runs tests that no other run finds, and returns the exit code and all output. */
function runFixture(name: string): Promise<{ code: number; output: string }> {
  const jest = ['--import', 'tsx', 'node_modules/jest/bin/jest.js'];
  const chosen = ['--roots', 'test/tools/runner', '--testMatch', `**/${name}.fixture.ts`];
  return new Promise((resolve) => {
    execFile(process.execPath, [...jest, ...chosen], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
    );
  });
}

test.each([
  ['too-slow', 1, '1 passed, 1 failed', 'Exceeded timeout of 100 ms for a test'],
  ['rejects-outside', 1, '1 failed', 'outside of a test'],
  ['left-open', 0, '1 passed, 0 failed', 'A worker process has failed to exit gracefully'],
  ['absent', 1, '0 passed, 1 failed', 'No tests found'],
])('a run of the file %s exits with %i and says %s', async (name, code, closing, why) => {
  const run = await runFixture(name);
  expect(run.output).toContain(why);
  expect(run.output.trimEnd().split('\n').at(-1)).toContain(closing);
  expect(run.code).toBe(code);
});
