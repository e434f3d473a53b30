// What a run of the tests must not hide (test/runner).
import { execFile } from 'node:child_process';

/** Runs tests that no other run finds. Returns the exit code, all output, and the last line that scripts read. */
function runFixture(name: string): Promise<{ code: number; output: string; closing: string }> {
  const jest = ['--import', 'tsx', 'node_modules/jest/bin/jest.js'];
  const chosen = ['--roots', 'test/tools/runner', '--testMatch', `**/${name}.fixture.ts`];
  return new Promise((resolve) => {
    execFile(process.execPath, [...jest, ...chosen], (error, stdout, stderr) => {
      const closing = stdout.trimEnd().split('\n').at(-1) ?? '';
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr, closing });
    });
  });
}

test.each([
  ['too-slow', '1 passed, 1 failed', 'Exceeded timeout of 100 ms for a test'],
  ['rejects-outside', '0 passed, 1 failed', 'outside of a test'],
  ['left-open', '1 passed, 0 failed', 'A worker process has failed to exit gracefully'],
  ['absent', '0 passed, 1 failed', 'No tests found'],
])('a run of the file %s ends with %s, and says %s', async (name, closing, why) => {
  const run = await runFixture(name);
  expect(run.output).toContain(why);
  expect(run).toMatchObject({ closing, code: closing.endsWith('0 failed') ? 0 : 1 });
});
