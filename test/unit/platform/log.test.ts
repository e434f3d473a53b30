// Log lines arrive from real processes, however they end, without secrets. And what a process tells systemd.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { waitFor } from '../../support/wait-for.ts';
import { newApiKey } from '../../../lib/access/api-key.ts';
import { newWebhookSecret } from '../../../lib/webhooks/signature.ts';
import { maskSecrets } from '../../../lib/platform/mask-secrets.ts';

const sourceFile = fileURLToPath(new URL('../../support/logging-process.ts', import.meta.url));

let folder: string;
let script: string;

// A process of one bundled file starts faster.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-writer-test-'));
  script = join(folder, 'logging-process.mjs');
  await build({
    entryPoints: [sourceFile],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // For packages that use `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
});

afterAll(() => rm(folder, { recursive: true }));

interface LogLine {
  msg: string;
  level: string;
  [field: string]: unknown;
}

interface LoggingProcess {
  child: ChildProcess;
  stdout: Readable;
  ended: Promise<unknown[]>;
}

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const nodeOptions = ['--max-old-space-size=64'];
const env = { ...process.env, HERALD_LOG_LEVEL: 'info' };

function startLogging(way: string): LoggingProcess {
  const child = spawn(process.execPath, [...nodeOptions, script, way], {
    env,
    // The traces of uncaught errors are expected.
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  children.push(child);
  if (child.stdout === null) throw new Error('no stdout');
  return { child, stdout: child.stdout, ended: once(child, 'exit') };
}

// A truncated line does not parse.
function parse(line: string): LogLine {
  return JSON.parse(line) as LogLine;
}

/** Returns the lines read so far, which grow until `end`. */
function readLines(stdout: Readable): { lines: readonly LogLine[]; end: Promise<unknown> } {
  const lines: LogLine[] = [];
  const reader = createInterface({ input: stdout }).on('line', (line) => lines.push(parse(line)));
  return { lines, end: once(reader, 'close') };
}

const thousand = Array.from({ length: 1_000 }, (_, index) => index + 1);
const numbersOf = (lines: readonly LogLine[]): unknown[] =>
  lines.flatMap(({ n }) => (n === undefined ? [] : [n]));

test.each([
  ['process.exit', 7, 'first'],
  ['an uncaught error', 1, 'first'],
  ['an unhandled rejection', 1, 'first'],
  ['the natural end', 0, 'first'],
  ['a failed start', 1, 'process.failed'],
])('the last line before %s is written completely', async (way, code, msg) => {
  const { stdout, ended } = startLogging(way);
  const { lines, end } = readLines(stdout);
  expect(await ended).toEqual([code, null]);
  await end;
  expect(lines.at(-1)).toMatchObject({ msg });
});

test.each([
  ['a fault of a role', 1, 'process.failed'],
  ['SIGTERM to a role', 0, 'process.stopped'],
])('a thousand lines just before the end by %s are all there, in order', async (way, code, msg) => {
  const { child, stdout, ended } = startLogging(way);
  if (way === 'SIGTERM to a role') child.once('message', () => child.kill('SIGTERM'));
  const { lines, end } = readLines(stdout);
  expect(await ended).toEqual([code, null]);
  await end;
  expect(numbersOf(lines)).toEqual(thousand);
  expect(lines.at(-1)).toMatchObject({ msg });
});

test.each([
  ['a pipe', '"$0" "$@" | cat > "$FILE"'],
  ['a file', '"$0" "$@" > "$FILE"'],
])('a thousand lines just before process.exit are all in %s', async (_, command) => {
  const file = join(folder, 'log');
  const args = ['-c', command, process.execPath, ...nodeOptions, script, 'many lines'];
  await once(spawn('sh', args, { env: { ...env, FILE: file }, stdio: 'ignore' }), 'exit');
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').map(parse);
  expect(numbersOf(lines)).toEqual(thousand);
});

test('a line is written without waiting for more, and without its secrets', async () => {
  const { stdout } = startLogging('no end');
  const [line]: unknown[] = await once(createInterface({ input: stdout }), 'line');
  expect(parse(String(line))).toMatchObject({ msg: 'first', secret: 'whsec_…' });
});

test('a log that nobody reads blocks no process, stays small, and counts dropped lines', async () => {
  const { child, stdout, ended } = startLogging('no end');
  child.send('flood');
  // Without the limit, the process would run out of memory here.
  const [flooded] = await Promise.race([once(child, 'message'), ended]);
  const { lines, end } = readLines(stdout);
  let asked = 0;
  const counted = await waitFor(
    () => {
      child.send('log');
      asked += 1;
      return lines.find(({ msg }) => msg === 'log.dropped');
    },
    { what: 'the count of the dropped lines' },
  );
  child.send('exit');
  await end;
  expect(counted).toMatchObject({ level: 'warn', subject: 'process' });
  const written = lines.filter(({ msg }) => msg === 'flood' || msg === 'asked').length;
  expect(written + Number(counted['count'])).toBe(Number(flooded) + asked);
});

test('a process whose log nobody reads can end', async () => {
  const { child, ended } = startLogging('no end');
  child.send('flood');
  await once(child, 'message');
  child.send('exit');
  expect(await ended).toEqual([0, null]);
});

test('an API key keeps only its public part, at any position', () => {
  const { keyId, text } = newApiKey();
  const line = JSON.stringify({ path: `/x/${text}/y`, list: [text, `a=${text}&b`] });
  const masked = `ahk_${keyId}_…`;
  expect(maskSecrets(line)).toBe(
    JSON.stringify({ path: `/x/${masked}/y`, list: [masked, `a=${masked}&b`] }),
  );
});

test('webhook secrets and tokens are removed completely', () => {
  const secret = newWebhookSecret();
  const token = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c3IifQ.c2lnbmF0dXJl-_x';
  expect(maskSecrets(`"${secret}" and "${token}" and "${secret}"`)).toBe(
    '"whsec_…" and "eyJ…" and "whsec_…"',
  );
});

test.each([
  'evt_01m7z102f21tt3z3gjhfgd0hsh',
  '{"keyId":"AbCdEfGh1234","status":200}',
  'ahk_short_x',
  'eyJ is not a token. nor.this',
])('%j is kept unchanged', (text) => {
  expect(maskSecrets(text)).toBe(text);
});

test.each(['eyJ', 'eyJaaaaaaaa.', 'whsec_', 'ahk_', `ahk_${'a'.repeat(12)}`])(
  'a long text of only %s is masked quickly',
  (beginning) => {
    const text = beginning.repeat(200_000 / beginning.length);
    const timesMs = [1, 2, 3].map(() => {
      const startedAt = performance.now();
      maskSecrets(text);
      return performance.now() - startedAt;
    });
    // The fastest of three, in case the machine is busy.
    expect(Math.min(...timesMs)).toBeLessThan(1_000);
  },
);

const watchdogMs = 300;
const hangsMs = 5 * watchdogMs;

// Prints each message on its own line.
const systemd = `
import socket, sys
notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notices.bind(sys.argv[1])
print('listening', flush=True)
while True:
    print(notices.recv(4096).decode().strip(), flush=True)
`;

// A line of input blocks its event loop for a while.
const serviceSource = `
import { notifySystemd } from './lib/platform/systemd.ts';
notifySystemd(process.env);
process.stdin.on('data', () => {
  process.stdout.write('hangs\\n', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${hangsMs});
    process.stdout.write('runs\\n');
  });
});
`;

const canRun = ['systemd-notify', 'python3'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);
const started: ChildProcess[] = [];
let socketFolder = '';

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(socketFolder, { recursive: true, force: true });
});

function linesOf(child: ChildProcess): readonly string[] {
  started.push(child);
  const lines: string[] = [];
  createInterface(child.stdout as Readable).on('line', (line) => lines.push(line));
  return lines;
}

/** Starts both, the service with these watchdog settings; `$$` is its process ID. */
async function startBoth(watchdog: string) {
  socketFolder = mkdtempSync(join(tmpdir(), 'herald-systemd-'));
  const socket = join(socketFolder, 'notify');
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  const notices = linesOf(spawn('python3', ['-c', systemd, socket], { stdio: [...stdio] }));
  await waitFor(() => notices.includes('listening'));
  const command = `${watchdog} exec "$0" --import tsx --input-type=module --eval "$1"`;
  const child = spawn('sh', ['-c', command, process.execPath, serviceSource], {
    env: { ...process.env, NOTIFY_SOCKET: socket },
    stdio: [...stdio],
  });
  const count = (notice: string): number => notices.filter((line) => line === notice).length;
  return { child, said: linesOf(child), count };
}

(!canRun ? describe.skip : describe)('with systemd-notify', () => {
  test('a process reports ready once, and then that it runs until its event loop hangs', async () => {
    const { child, said, count } = await startBoth(
      `WATCHDOG_PID=$$ WATCHDOG_USEC=${watchdogMs * 1_000}`,
    );
    await waitFor(() => count('WATCHDOG=1') >= 3);
    child.stdin?.write('hang\n');
    await waitFor(() => said.includes('hangs'));
    const before = count('WATCHDOG=1');
    await waitFor(() => said.includes('runs'));
    // Of fifteen: messages that the shell had not sent yet when the loop began to hang.
    const meanwhile = count('WATCHDOG=1') - before;
    expect(meanwhile).toBeLessThan(5);
    await waitFor(() => count('WATCHDOG=1') >= before + meanwhile + 3);
    expect(count('READY=1')).toBe(1);
  });

  test('the watchdog of another process gets no messages, and no other setting of systemd is needed', async () => {
    const { child, said, count } = await startBoth('WATCHDOG_PID=1 WATCHDOG_USEC=1000');
    await waitFor(() => count('READY=1') === 1);
    child.stdin?.write('hang\n');
    await waitFor(() => said.includes('runs'));
    expect(count('WATCHDOG=1')).toBe(0);
  });
});
