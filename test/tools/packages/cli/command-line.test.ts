// The command line without a service, run from its packed file in an empty folder.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { completionsOf } from '../../../../packages/cli/src/commands/completion.ts';
import { createProgram } from '../../../../packages/cli/src/program.ts';
import { startReceiver } from '../../../support/receivers.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';

const run = promisify(execFile);
const source = 'packages/cli';
let folder = '';
let file = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-'));
  await run('npm', ['pack', '--pack-destination', folder, resolve(source)], { cwd: source });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const tarball = join(folder, 'agent-herald-0.1.0.tgz');
  await run('npm', ['install', '--offline', '--no-audit', tarball], { cwd: folder });
  file = join(folder, 'node_modules', '.bin', 'agent-herald');
});
afterAll(() => rm(folder, { recursive: true }));

async function call(...args: string[]) {
  const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder };
  return run(file, args, { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

test('nothing else is installed, and the licenses of the bundled packages are included', async () => {
  const installed = await readdir(join(folder, 'node_modules'));
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['agent-herald']);
  const licenses = await readFile(
    join(folder, 'node_modules/agent-herald/dist/LICENSES.txt'),
    'utf8',
  );
  for (const name of ['commander', '@inquirer/input', '@inquirer/password', 'cli-table3'])
    expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
});

test('its version is that of the package, and help shows every command', async () => {
  expect((await call('--version')).stdout).toBe('0.1.0\n');
  const { stdout } = await call('--help');
  for (const command of createProgram().commands.filter((each) => each.name() !== 'complete'))
    expect(stdout).toContain(`  ${command.name()} `);
});

test.each([
  ['an unknown command', ['event'], 'Did you mean events?'],
  ['an unknown option', ['events', 'list', '--limits', '3'], "unknown option '--limits'"],
  ['an unknown event', ['trigger', 'agent.made'], 'agent.created, agent.updated'],
  [
    'a list of test events',
    ['events', 'list', '--event', 'webhook.test'],
    'application.key_tokens_revoked.\n',
  ],
  ['a limit of 0', ['events', 'list', '--limit', '0'], 'Use a whole number from 1 to 9999999.'],
  ['a time that is none', ['events', 'list', '--since', '5x'], 'Use ISO 8601, or 30s'],
  ['an address that is none', ['listen', '--forward-to', 'http://'], 'Use a URL such as'],
  ['an overlap that is empty', ['webhooks', 'rotate', 'whk_1', '--overlap', ''], 'Use a whole'],
  ['an overlap that is none', ['webhooks', 'rotate', 'whk_1', '--overlap', '1h'], 'Use a whole'],
  [
    'events of both kinds',
    ['webhooks', 'create', 'x', '--event', 'webhook.failing', 'agent.created'],
    'a separate webhook',
  ],
  [
    'an entity with events of operations',
    ['webhooks', 'create', 'x', '--entity', 'agent', '--event', 'webhook.failing'],
    'a separate webhook',
  ],
  [
    'a replay of what never went to any webhook',
    ['replays', 'create', '--since', '1h', '--state', 'exhausted', 'never_attempted'],
    'never_attempted: requires --webhook',
  ],
  [
    'a replay of what was erased',
    ['replays', 'create', '--since', '1h', '--cancel-reason', 'erased'],
    'expired, abandoned, discarded, skipped, unsubscribed.',
  ],
  [
    'a replay of an unknown state',
    ['replays', 'create', '--since', '1h', '--state', 'lost'],
    'delivered, retrying, exhausted, held, cancelled, blocked, never_attempted.',
  ],
  ['a secret that is none', ['verify', '--secret', 'x', '--headers', 'h', '--body', 'b'], 'whsec_'],
])('%s ends with 2 and shows what is allowed', async (_, args, said) => {
  await writeFile(
    join(folder, 'h'),
    'webhook-id: a\nwebhook-timestamp: 1\nwebhook-signature: v1,a',
  );
  await writeFile(join(folder, 'b'), '{}');
  expect(await call(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
});

test('a secret that listen cannot use is not shown', async () => {
  const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder, WEBHOOK_SECRET: 'whsec_oops' };
  const settings = { HERALD_URL: 'http://127.0.0.1:1', HERALD_APP_UID: 'a', HERALD_API_KEY: 'k' };
  const options = { cwd: folder, env: { ...env, ...settings } };
  const args = ['listen', '--forward-to', 'localhost:4000'];
  const error = await run(file, args, options).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 2, stderr: expect.stringContaining('a secret is whsec_') });
  expect((error as { stderr: string }).stderr).not.toContain('oops');
});

test('a finite command that Ctrl-C stops does not end successfully', async () => {
  await using silent = await startReceiver(() => undefined);
  const settings = { HERALD_URL: silent.url, HERALD_APP_UID: 'app_1', HERALD_API_KEY: 'ahk_1' };
  const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder, ...settings };
  const child = spawn(file, ['events', 'list'], { cwd: folder, env });
  const closed = once(child, 'close');
  await waitFor(() => silent.requests.length === 1, { what: 'the call' });
  child.kill('SIGINT');
  expect(await closed).toEqual([null, 'SIGINT']);
});

test('verify reports a genuine request as right, and that it arrived too late', async () => {
  const { headers, body } = signedDelivery();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const path = join(folder, 'request.http');
  await writeFile(path, ['POST /hook HTTP/1.1', ...lines, '', body].join('\r\n'));
  const verify = ['verify', '--secret', receiverSecret, '--request', path];
  const resultsOf = (printed: string) =>
    (JSON.parse(printed) as { result: string }[]).map(({ result }) => result);
  const right = await call(...verify);
  expect([right.code, resultsOf(right.stdout)]).toEqual([0, ['right', 'right', 'not checked']]);
  const receivedAt = new Date(Date.now() + 301_000).toISOString();
  const late = await call(...verify, '--received-at', receivedAt);
  expect([late.code, resultsOf(late.stdout)]).toEqual([1, ['right', 'right', 'wrong']]);
});

test.each([
  [['eve'], ['events']],
  [
    ['events', ''],
    ['list', 'show', 'resend', 'skip', 'why', 'tail'],
  ],
  [['events', 'list', '--ti'], []],
  [['events', 'list', '--te'], ['--tenant']],
  [
    ['events', 'list', '--entity', ''],
    ['agent', 'context', 'contextfile'],
  ],
  [['trigger', 'agent.c'], ['agent.created']],
  [['webhooks', 'list', '--j'], ['--json']],
  [['trigger', '--tenant', ''], []],
  [['replays', 'create', '--state', 'held', 'ex'], ['exhausted']],
])('%j is completed', (words, expected) => {
  expect(completionsOf(createProgram(), words)).toEqual(expected);
});

const shells: Readonly<Record<string, { args: string[]; lines: string[]; expected: string }>> = {
  bash: {
    args: ['--norc', '-c'],
    lines: [
      'COMP_WORDS=(agent-herald webhooks pa); COMP_CWORD=2; _agent_herald; echo "${COMPREPLY[*]}"',
    ],
    expected: 'pause\n',
  },
  zsh: {
    args: ['-f', '-c'],
    lines: [
      'echo $_comps[agent-herald]; compadd() { echo $@ }',
      'words=(agent-herald webhooks pa); CURRENT=3; _agent_herald',
    ],
    expected: '_agent_herald\n-- pause\n',
  },
  fish: {
    args: ['--no-config', '-c'],
    lines: ['complete -C "agent-herald webhooks pa"; complete -C "agent-herald completion "'],
    expected: 'pause\nbash\nfish\nzsh\n',
  },
};

for (const [shell, { args, lines, expected }] of Object.entries(shells)) {
  const isMissing = spawnSync(shell, ['-c', ''], { stdio: 'ignore' }).error !== undefined;
  (isMissing ? test.skip : test)(
    `the script for ${shell} completes words, without other settings`,
    async () => {
      const { stdout: script } = await call('completion', shell);
      const PATH = `${join(folder, 'node_modules', '.bin')}:${process.env['PATH']}`;
      const env = { PATH, HOME: folder };
      const outcome = await run(shell, [...args, [script, ...lines].join('\n')], { env });
      expect(outcome).toEqual({ stdout: expected, stderr: '' });
    },
  );
}

test.each([
  ['webhooks', 'create', '--tenant', 'a', 'https://receiver.test'],
  ['events', 'resend', '--webhook', 'whk_1', 'evt_1'],
  ['sync', '--entity', 'agent', 'whk_1'],
])('%s %s %s says that an argument after such an option is one of its values', async (...args) => {
  const { code, stderr } = await call(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining('arguments before options')]);
});
