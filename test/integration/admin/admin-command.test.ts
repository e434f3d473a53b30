// `npm run admin`, with the password through a pipe; as a separate process where that makes a difference.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createAdmin } from '../../../lib/access/create-admin.ts';
import { runAdmin } from '../../../cli/admin/run-admin.ts';
import { describeError } from '../../../lib/platform/run-command.ts';
import { writeDevFile } from '../../../dev/start/dev-files.ts';
import { signIn } from '../../support/admin-client.ts';
import { testServers } from '../../support/servers.ts';
import { useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';

const mainOf = (command: string): string => join(testServers().build, 'cli', command, 'main.js');

let folder: string;

const service = useService({ worker: false });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-admin-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

interface Given {
  command?: 'admin' | 'setup';
  input?: string;
  env?: Record<string, string>;
}

/** The settings of the service. `changed` overrides some of them. */
function environment(changed: Record<string, string> = {}): Record<string, string> {
  const { MONGODB_URI = '', HERALD_DATABASE = '' } = service.env;
  const { keyPepper } = service.config;
  return { MONGODB_URI, HERALD_DATABASE, HERALD_KEY_PEPPER: keyPepper, ...changed };
}

/** Runs the command with the settings of the service and `input` on stdin. */
async function run(args: string[], { input = '', env }: Given = {}): Promise<Ended> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const terminal = { env: environment(env), stdin: Readable.from([input]), stdout, stderr };
  let code = 0;
  try {
    await runAdmin(args, terminal);
  } catch (error) {
    code = 1;
    stderr.write(`${describeError(error)}\n`);
  }
  for (const stream of [stdout, stderr]) stream.end();
  return { code, out: await text(stdout), err: await text(stderr) };
}

/** Runs the command like an operator does. */
async function runProcess(args: string[], given: Given = {}): Promise<Ended> {
  const { command = 'admin', input = '', env } = given;
  const child = spawn(process.execPath, [mainOf(command), ...args], {
    env: { ...process.env, ...environment(env) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: child.exitCode, out, err };
}

/** Creates an admin like the command does, as a precondition for another command. */
async function makeAdmin(
  email: string,
  { password = null as string | null, superuser = false } = {},
) {
  await createAdmin(service.store, { email, password, superuser });
}

test('the first admin is a superuser with the piped password, which is not shown', async () => {
  await service.store.admins.deleteMany({});
  const password = 'a piped password';
  const args = ['create', '--email', 'First@Example.com'];
  const made = await runProcess(args, { input: `${password}\n` });
  expect(made).toMatchObject({ code: 0 });
  expect(made.out).toMatch(/Created the superuser first@example\.com: adm_/);
  expect(made.out + made.err).not.toContain(password);
  const stored = await service.store.admins.findOne({ email: 'first@example.com' });
  expect(stored?.passwordHash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
  const { answer } = await signIn(service, { email: 'first@example.com', password });
  expect(answer.body['admin']).toMatchObject({ superuser: true });
});

test('at a terminal the command prompts twice for the password and never shows it', async () => {
  const { MONGODB_URI = '', HERALD_DATABASE = '' } = service.env;
  const terminal = 'import pty, sys; pty.spawn(sys.argv[1:])';
  const command = [process.execPath, mainOf('admin'), 'create', '--email'];
  const child = spawn('python3', ['-c', terminal, ...command, 'typed@example.com'], {
    env: { ...process.env, MONGODB_URI, HERALD_DATABASE },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  const closed = once(child, 'close');
  await waitFor(() => screen.includes('not shown): '), { what: 'the first prompt' });
  // A typo and a backspace.
  child.stdin.write('a typed passworx\x7fd\r');
  await waitFor(() => screen.includes('Repeat the password: '), { what: 'the second prompt' });
  child.stdin.write('a typed password\r');
  await waitFor(() => screen.includes('adm_'), { what: 'the uid of the admin' });
  child.stdin.end();
  await closed;
  expect(screen).not.toMatch(/typed pass/);
  const typed = { email: 'typed@example.com', password: 'a typed password' };
  expect((await signIn(service, typed)).answer.status).toBe(200);
});

test('later admins are superusers only on request, and a generated password is shown and works', async () => {
  const made = await run(['create', '--email', 'second@example.com', '--generate']);
  expect(made.code).toBe(0);
  expect(made.out).not.toContain('superuser');
  const password = /password: (\S+)/.exec(made.out)?.[1] ?? '';
  expect(password).toMatch(/^([0-9a-z]{4}-){5}[0-9a-z]{4}$/);
  const { answer } = await signIn(service, { email: 'second@example.com', password });
  expect(answer.body['admin']).toMatchObject({ superuser: false });
  const third = await run(['create', '--email', 'third@example.com', '--generate', '--superuser']);
  expect(third.out).toContain('superuser');
});

test('a reset password works, the old one does not, and all sessions have ended', async () => {
  const email = 'reset@example.com';
  await makeAdmin(email, { password: 'the old password' });
  const { headers } = await signIn(service, { email, password: 'the old password' });
  const reset = await run(['reset-password', '--email', email], { input: 'the new password\n' });
  expect(reset).toMatchObject({ code: 0 });
  expect((await service.raw('GET', '/admin/api/session', { headers })).status).toBe(401);
  const old = await signIn(service, { email, password: 'the old password' });
  expect(old.answer.status).toBe(401);
  const now = await signIn(service, { email, password: 'the new password' });
  expect(now.answer.status).toBe(200);
});

test('a removed admin is refused from the next call on, and the last superuser cannot be removed', async () => {
  await makeAdmin('stays@example.com', { superuser: true });
  const email = 'leaver@example.com';
  await makeAdmin(email, { password: 'a leaver of old' });
  const { headers } = await signIn(service, { email, password: 'a leaver of old' });
  expect(await run(['remove', '--email', email])).toMatchObject({ code: 0 });
  expect((await service.raw('GET', '/admin/api/session', { headers })).status).toBe(401);
  const again = await signIn(service, { email, password: 'a leaver of old' });
  expect(again.answer.status).toBe(401);
  const superusers = await service.store.admins.find({ superuser: true }).toArray();
  const [last, ...others] = superusers.map((admin) => admin.email);
  await service.store.admins.deleteMany({ email: { $in: others } });
  const refused = await run(['remove', '--email', last ?? '']);
  expect(refused.err).toBe(`${last} is the last superuser; promote another admin first\n`);
  const demoted = await run(['demote', '--email', last ?? '']);
  expect(demoted.err).toBe(refused.err);
  expect(await service.store.admins.countDocuments({ email: last ?? '', superuser: true })).toBe(1);
});

test('all admins are listed with role, ways to sign in and last sign-in', async () => {
  const email = 'aaa@example.com';
  await run(['create', '--email', email, '--no-password']);
  await makeAdmin('aab@example.com', { password: 'a listed password' });
  await signIn(service, { email: 'aab@example.com', password: 'a listed password' });
  const { code, out } = await run(['list']);
  expect(code).toBe(0);
  const [first = '', second = '', ...more] = out.trimEnd().split('\n');
  expect(first).toMatch(/^aaa@example\.com\tadm_\w+\tadmin\tnot yet\tnever$/);
  expect(second).toMatch(/^aab@example\.com\tadm_\w+\tadmin\tpassword\t\d{4}-.*Z$/);
  expect(more).toHaveLength((await service.store.admins.countDocuments({})) - 2);
});

test('a promotion or demotion takes effect with the next call and leaves an audit row', async () => {
  const [email, password] = ['riser@example.com', 'a rising password'];
  await makeAdmin(email, { password });
  const { headers } = await signIn(service, { email, password });
  const ask = async (): Promise<number> =>
    (await service.raw('GET', '/admin/api/audit-log', { headers })).status;
  expect(await ask()).toBe(403);
  expect(await run(['promote', '--email', email])).toMatchObject({ code: 0, err: '' });
  expect(await ask()).toBe(200);
  const again = await run(['promote', '--email', email]);
  expect(again).toMatchObject({ code: 1, err: `${email} is already a superuser\n` });
  expect(await run(['demote', '--email', email])).toMatchObject({ code: 0, err: '' });
  expect(await ask()).toBe(403);
  const none = await run(['demote', '--email', email]);
  expect(none).toMatchObject({ code: 1, err: `${email} is not a superuser\n` });
  const uid = (await service.store.admins.findOne({ email }))?._id ?? '';
  const rows = await service.store.auditLog.find({ 'target.uid': uid }).sort({ _id: 1 }).toArray();
  const actions = rows.map((row) => row.action).filter((action) => action.endsWith('moted'));
  expect(actions).toEqual(['admin.promoted', 'admin.demoted']);
});

test('a created key works with the requested scopes and leaves an audit row', async () => {
  const { appUid } = service.app;
  const args = ['create-key', appUid, '--name', 'Back end', '--scopes', 'users:auth,events:read'];
  const made = await run(args);
  expect(made).toMatchObject({ code: 0, err: '' });
  const apiKey = /API key +(\S+)/.exec(made.out)?.[1] ?? '';
  const keyUid = /key uid +(key_\w+)/.exec(made.out)?.[1] ?? '';
  const headers = { 'x-api-key': apiKey };
  expect((await service.call('GET', '/events', { headers })).status).toBe(200);
  expect((await service.call('GET', '/webhooks', { headers })).status).toBe(403);
  const row = await service.store.auditLog.findOne({ 'target.uid': keyUid });
  expect(row).toMatchObject({
    appUid,
    action: 'api_key.created',
    actor: { kind: 'system', uid: null },
    details: { name: 'Back end', scopes: ['users:auth', 'events:read'], expiresAt: null },
  });
});

test('while npm start runs, the commands use its database', async () => {
  const { MONGODB_URI = '' } = service.env;
  await writeDevFile(join(folder, 'dev.json'), {
    apiUrl: service.apiUrl,
    temporalUiUrl: null,
    temporalAddress: '',
    mongodbUri: MONGODB_URI,
    keyPepper: service.config.keyPepper,
    ...service.app,
    consoleUrl: '',
    adminEmail: null,
    adminPassword: null,
    pids: { api: 0, worker: 0, mongodb: null, temporal: null },
  });
  const env = { MONGODB_URI: '', HERALD_KEY_PEPPER: '', HERALD_DATA_DIR: folder };
  const made = await run(['create', '--email', 'dev@example.com', '--generate'], { env });
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(await service.store.admins.countDocuments({ email: 'dev@example.com' })).toBe(1);
  const args = ['create-key', service.app.appUid, '--name', 'All', '--scopes', 'all'];
  const apiKey = /API key +(\S+)/.exec((await run(args, { env })).out)?.[1] ?? '';
  const headers = { 'x-api-key': apiKey };
  expect((await service.call('GET', '/accounts', { headers })).status).toBe(200);
  const { out } = await runProcess(['--app', 'Second'], { env, command: 'setup' });
  const _id = /^app uid +(\S+)\n/.exec(out)?.[1] ?? '';
  expect(await service.store.apps.findOne({ _id })).toMatchObject({ name: 'Second' });
});

test.each([
  [['--help'], { code: 0, out: expect.stringMatching(/^Usage: npm run admin/), err: '' }],
  [['list'], { code: 0, out: expect.stringContaining('\tsuperuser\t'), err: '' }],
])('the process of %j ends as %o', async (args, expected) => {
  expect(await runProcess(args)).toMatchObject(expected);
});

test('a short password, a taken email, and a missing or unprepared database are each reported in one sentence', async () => {
  const create = ['create', '--email', 'once@example.com'];
  const short = await run(create, { input: 'short\n' });
  expect(short.err).toContain('must have 12 to 128 characters (got 5)');
  await makeAdmin('once@example.com');
  const taken = await run([...create, '--generate']);
  expect(taken).toMatchObject({ code: 1, err: 'there is already an admin once@example.com\n' });
  const env = { MONGODB_URI: '', HERALD_DATA_DIR: join(folder, 'none') };
  const nowhere = await run([...create, '--generate'], { env });
  expect(nowhere.err).toMatch(/^set MONGODB_URI, or start the service/);
  const empty = await run([...create, '--generate'], {
    env: { HERALD_DATABASE: 'test_unprepared' },
  });
  expect(empty).toMatchObject({
    code: 1,
    err: 'the database is not prepared: run npm run setup first\n',
  });
});

test.each([
  [[], /^Usage: npm run admin/],
  [['toString'], /^Usage: npm run admin/],
  [['create'], /--email/],
  [['create', '--email', 'x@example.com', '--password', 'in the open'], /'--password'/],
  [['create', '--email', 'no address', '--generate'], /"no address" is not an email address/],
  [['create', '--email', 'x@example.com'], /no password was given/],
  [['create', '--email', 'x@example.com', '--generate', '--no-password'], /use either/],
  [['create-key', '--name', 'x', '--scopes', 'all'], /name the application/],
  [['create-key', 'app_1', '--name', 'x', '--scopes', 'admin,all'], /there is no scope "all"/],
  [['create-key', 'app_1', '--name', 'x', '--scopes', 'all'], /there is no application app_1/],
  [['create-key', 'app_1', '--name', 'a\tb', '--scopes', 'all'], /--name must be a line/],
  [['reset-password', '--email', 'nobody@example.com', '--generate'], /there is no admin/],
])('%j ends with one clear message', async (args, message) => {
  const ended = await run(args);
  expect(ended.code).toBe(1);
  expect(ended.err).toMatch(message);
  expect(ended.err).not.toMatch(/\n\s+at /);
});
