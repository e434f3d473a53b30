// Options that the commands of the operator refuse, in one sentence, before they ask any server.
import { execFile } from 'node:child_process';
import { runAdmin } from '../../../cli/admin/run-admin.ts';
import { checkName } from '../../../lib/access/create-app-with-key.ts';
import { readTime } from '../../../lib/platform/time.ts';

async function run(command: string, ...options: string[]): Promise<string> {
  const args = ['--import', 'tsx', `cli/${command}/main.ts`, ...options];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: {} }, (_error, _out, err) => resolve(err));
  });
}

test.concurrent.each([
  ['setup', '--app=', 'the name of an application must be a line of 1 to 200 characters\n'],
  ['start-missing', '--since=5', '--since needs a time such as 2026-11-21T17:00:00Z\n'],
])('%s %s is refused', async (command, option, message) => {
  expect(await run(command, option)).toBe(message);
});

test.concurrent.each([
  ['list', '--email=a@example.com', '--email'],
  ['create', '--name=Ada', '--name'],
  ['create-key', '--superuser', '--superuser'],
])('admin %s %s is refused', async (command, option, named) => {
  const error = new Error(`${command} does not take ${named}`);
  await expect(runAdmin([command, option], process)).rejects.toThrow(error);
});

test.each([
  ['', false],
  ['x', true],
  ['😀'.repeat(200), true],
  ['😀'.repeat(201), false],
  ['a\nb', false],
  ['a\u2028b', false],
])('%j is a name: %j', (name, expected) => {
  const check = expect(() => checkName('it', name));
  if (expected) check.not.toThrow();
  else check.toThrow('it must be a line');
});

test.each([
  ['2026-02-28', undefined],
  ['0000-01-01T00:00:00+00:01', undefined],
  ['9999-12-31T23:59:59-00:01', undefined],
])('%s is the time %s', (text, expected) => {
  expect(readTime(text)?.toISOString()).toBe(expected);
});
