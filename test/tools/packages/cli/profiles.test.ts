// The source of the address and key of a command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCommandLine, type CommandLine } from '../../../support/command-line.ts';
import { startReceiver } from '../../../support/receivers.ts';
import { waitFor } from '../../../support/wait-for.ts';

type Environment = Readonly<Record<string, string>>;

let cli: CommandLine;
let folder = '';

beforeAll(async () => {
  cli = await buildCommandLine({});
});
afterAll(() => cli[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-profiles-'));
});
afterEach(() => rm(folder, { recursive: true }));

const startService = () =>
  startReceiver((response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"data":[],"nextCursor":null}');
  });

async function call(args: readonly string[], env: Environment, input = '') {
  const options = { env: { XDG_CONFIG_HOME: folder, ...env }, input };
  const { code, stderr } = await cli.run(args, options);
  return { code, stderr };
}

const login = (url: string, app: string, profile: string) =>
  call(['login', '--profile', profile, '--url', url, '--app', app], {}, `key-of-${profile}\n`);

/** Signs in like on a terminal, with an answer to each prompt. */
async function logIn(env: Environment, answers: readonly string[]): Promise<number> {
  const terminal = 'data:text/javascript,process.stdin.isTTY = true;';
  const child = spawn(process.execPath, ['--import', terminal, cli.file, 'login'], {
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close') as Promise<[number]>;
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  for (const [index, question] of ['Address', 'Application', 'API key'].entries()) {
    await waitFor(() => shown.includes(question), { what: question, state: () => shown });
    child.stdin.write(`${answers[index]}\n`);
  }
  const [code] = await closed;
  return code;
}

const list = ['webhooks', 'list'];

test.each<[string, readonly string[], Environment, 'stored' | 'other']>([
  ['--profile', [...list, '--profile', 'mine'], {}, 'stored'],
  ['HERALD_PROFILE', list, { HERALD_PROFILE: 'mine' }, 'stored'],
  ['no profile', list, {}, 'other'],
  ['an empty HERALD_PROFILE', list, { HERALD_PROFILE: '' }, 'other'],
])('with %s a call takes address, application and key from the same source', async (...row) => {
  const [, args, named, expected] = row;
  await using stored = await startService();
  await using other = await startService();
  await login(stored.url, 'app_mine', 'mine');
  const before = stored.requests.length;
  const env = {
    HERALD_URL: other.url,
    HERALD_APP_UID: 'app_other',
    HERALD_API_KEY: 'key-of-other',
  };
  expect(await call(args, { ...env, ...named })).toEqual({ code: 0, stderr: '' });
  const called = { stored: stored.requests.slice(before), other: other.requests };
  const seen = [...called.stored, ...called.other].map(({ path, headers }) => [
    path,
    headers.authorization,
  ]);
  const name = expected === 'stored' ? 'mine' : 'other';
  expect(called[expected]).toHaveLength(1);
  expect(seen).toEqual([[expect.stringContaining(`/app_${name}/`), `Bearer key-of-${name}`]]);
});

test.each<Environment>([
  { HERALD_URL: 'http://127.0.0.1:1' },
  { HERALD_APP_UID: 'app_1', HERALD_API_KEY: 'key' },
])('a partly set environment is not completed from a profile: %j', async (env) => {
  await using service = await startService();
  await login(service.url, 'app_1', 'default');
  const { code, stderr } = await call(list, env);
  expect([code, stderr]).toEqual([3, expect.stringContaining('set all three, or name a profile')]);
  expect(service.requests).toHaveLength(1);
  expect(await call([...list, '--profile', 'default'], env)).toMatchObject({ code: 0 });
});

test.each([
  ['a key that is piped in, not HERALD_API_KEY', 'piped\n', 'piped'],
  ['HERALD_API_KEY where nothing is piped in', '', 'of-environment'],
])('login keeps %s', async (_, input, expected) => {
  await using service = await startService();
  const args = ['login', '--url', service.url, '--app', 'app_1'];
  expect(await call(args, { HERALD_API_KEY: 'of-environment' }, input)).toMatchObject({ code: 0 });
  expect(await call(list, {})).toMatchObject({ code: 0 });
  const keys = service.requests.map(({ headers }) => headers.authorization);
  expect(keys).toEqual([`Bearer ${expected}`, `Bearer ${expected}`]);
});

test.each([
  ['HERALD_API_KEY of the same address', '', 0],
  ['no HERALD_API_KEY of another address', '/other', 2],
])('login sends %s', async (_, path, code) => {
  await using service = await startService();
  const env = { HERALD_URL: `${service.url}${path}`, HERALD_API_KEY: 'of-environment' };
  const outcome = await call(['login', '--url', service.url, '--app', 'app_1'], env);
  expect(outcome.code).toBe(code);
  expect(service.requests).toHaveLength(code === 0 ? 1 : 0);
});

test.each([
  ['a torn file', '{"profiles":{"default":{"url":"http://a'],
  ['null', 'null'],
  ['profiles that are a list', '{"profiles":[]}'],
  ['a profile that is null', '{"profiles":{"default":null}}'],
  ['an address that is a number', '{"profiles":{"a":{"url":5,"appUid":"a","apiKey":"k"}}}'],
  ['a secret that is a number', '{"profiles":{},"listenSecret":5}'],
])('settings with %s are named, and login replaces them', async (_, text) => {
  await using service = await startService();
  const file = join(folder, 'agent-herald', 'config.json');
  await mkdir(join(folder, 'agent-herald'));
  await writeFile(file, text);
  const broken = await call(list, {});
  expect([broken.code, broken.stderr]).toEqual([
    3,
    expect.stringContaining('run agent-herald login'),
  ]);
  expect(broken.stderr).toContain(file);
  const { code, stderr } = await login(service.url, 'app_1', 'default');
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${file}.damaged`)]);
  expect(await readFile(`${file}.damaged`, 'utf8')).toBe(text);
  expect(await call(list, {})).toEqual({ code: 0, stderr: '' });
});

test('on a terminal login offers the environment as defaults, and prompts for the key', async () => {
  await using service = await startService();
  const env = {
    HERALD_URL: service.url,
    HERALD_APP_UID: 'app_1',
    HERALD_API_KEY: 'of-environment',
  };
  expect(await logIn(env, ['', '', 'typed'])).toBe(0);
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer typed']);
});

test.each([
  [
    'an address with a password',
    { HERALD_URL: 'http://me:hidden@127.0.0.1:1' },
    'url must have no',
  ],
  ['an address without http', { HERALD_URL: 'localhost:3000' }, 'url must be one like'],
  ['a key of two lines', { HERALD_API_KEY: 'hidden\nhidden' }, 'apiKey must be'],
])('%s ends with 2 and is not shown', async (_, wrong, said) => {
  const good = { HERALD_URL: 'http://127.0.0.1:1', HERALD_APP_UID: 'app_1', HERALD_API_KEY: 'key' };
  const env = { ...good, ...wrong };
  for (const args of [list, ['login'], ['doctor']]) {
    const { code, stderr } = await call(args, env);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    expect(stderr).not.toContain('hidden');
  }
});
