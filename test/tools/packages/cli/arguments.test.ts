// Options that would fail at every event, or would be sent as something else, are rejected when they are parsed; text of
// strangers is escaped when it is printed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSeconds, readTime, readUrl } from '../../../../packages/cli/src/arguments.ts';
import { maskUrls, printable } from '../../../../packages/cli/src/printable.ts';
import { writeSettings } from '../../../../packages/cli/src/profiles.ts';
import { createProgram } from '../../../../packages/cli/src/program.ts';
import { print, printFields, printTable } from '../../../../packages/cli/src/session.ts';
import { stubEnv, unstubEnvs } from '../../../support/stub-env.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arguments-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => void jest.restoreAllMocks());

test.each([
  ['localhost:4000/hook', 'http://localhost:4000/hook'],
  ['HTTPS://Receiver.test/hook?a=b', 'https://receiver.test/hook?a=b'],
])('%s is the address %s', (text, expected) => {
  expect(readUrl(text)).toBe(expected);
});

test.each([
  '',
  'ftp://localhost/hook',
  'http://user:password@localhost/hook',
  'user:password@localhost/hook',
  'http://localhost/hook\u200b',
  'http://localhost/hook\u00a0',
  'http://localhost/hook\n',
  ' http://localhost/hook',
])('%j is not an address to forward to', (text) => {
  expect(() => readUrl(text)).toThrow('Use a URL such as');
});

test.each([
  ['http://me:hidden@localhost/hook'],
  ["http://me:hid'den@localhost"],
  ['http://me:hidden/x@localhost'],
  ['me:hidden@localhost/hook'],
  ['ftp://hidden@localhost'],
])('%j is refused without its password', async (url) => {
  const messages: string[] = [];
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    messages.push(String(chunk));
    return true;
  });
  for (const args of [['listen', '--forward-to', url], [url], ['listen', `--forward=${url}`]])
    await run(...args).catch((error: Error) => messages.push(maskUrls(error.message)));
  write.mockRestore();
  expect(messages.length).toBeGreaterThan(3);
  expect(messages.join('\n')).not.toContain('hid');
});

test.each([
  ['0', 0],
  ['999999999', 999_999_999],
])('%s are %d seconds', (text, expected) => {
  expect(readSeconds(text)).toBe(expected);
});

test.each(['', '-1', '1.5', '1e3', '1000000000', '9'.repeat(20)])(
  '%s is not a number of seconds',
  (text) => {
    expect(() => readSeconds(text)).toThrow('Use a whole number of seconds');
  },
);

async function run(...args: string[]): Promise<void> {
  stubEnv('XDG_CONFIG_HOME', folder);
  stubEnv('HERALD_URL', 'http://127.0.0.1:1');
  stubEnv('HERALD_APP_UID', 'app_1');
  stubEnv('HERALD_API_KEY', 'key');
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } finally {
    unstubEnvs();
  }
}

const good = `whsec_${Buffer.alloc(24).toString('base64')}`;

test.each([`${good}=`, `${good}\n`, `${good.slice(0, -1)}_`, `whsec_${'A'.repeat(33)}`, 'whsec_'])(
  'listen rejects a secret that a receiver would reject: %j',
  async (secret) => {
    const refused = 'a secret is whsec_ followed by at least 24 bytes in base64';
    const listen = ['listen', '--forward-to', 'localhost:4000'];
    await expect(run(...listen, '--secret', secret)).rejects.toThrow(refused);
    stubEnv('XDG_CONFIG_HOME', folder);
    writeSettings({ profiles: {}, listenSecret: secret });
    await expect(run(...listen)).rejects.toThrow(refused);
  },
);

test.each([
  ['events', 'skip', 'evt_1', ''],
  ['webhooks', 'pause', '..'],
  ['replays', 'cancel', ' '],
])('%s %s %s is refused before any call', async (...args) => {
  await expect(run(...args)).rejects.toThrow('It must not be empty or only dots.');
});

test.each(['{"eventId":\n\n"evt_1"}', '\ufeff [{}]', ''])(
  'verify says that a request without headers has none: %j',
  async (text) => {
    const path = join(folder, 'request');
    await writeFile(path, text);
    const verify = run('verify', '--secret', good, '--request', path);
    await expect(verify).rejects.toMatchObject({
      exitCode: 2,
      message: `${path} has no headers: save them before the body, or use --headers and --body`,
    });
  },
);

test('verify reads standard input only once', async () => {
  const verify = run('verify', '--secret', good, '--headers', '-', '--body', '-');
  await expect(verify).rejects.toThrow('only one of --headers and --body can be -');
});

test('verify takes a whole request or its parts, but not both', async () => {
  const both = ['--request', 'r', '--headers', 'h', '--body', 'b'];
  const parts = [both.slice(0, 4), [...both.slice(0, 2), ...both.slice(4)], both, both.slice(2, 4)];
  for (const each of parts)
    await expect(run('verify', '--secret', good, ...each)).rejects.toThrow(
      'use either --request, or',
    );
});

test.each([
  ['2026-11-21T12:00:00Z', '2026-11-21T12:00:00.000Z'],
  ['2026-11-21T12:00+02:00', '2026-11-21T10:00:00.000Z'],
  ['2028-02-29T23:59:59.999-01:00', '2028-03-01T00:59:59.999Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
])('%s is the time %s', (text, expected) => {
  expect(readTime(text)).toBe(expected);
});

test.each([
  ['a number', '5'],
  ['a day without its year', '11/12'],
  ['a day that there is not', '2026-02-30T00:00:00Z'],
  ['a time without its offset', '2026-11-21T12:00:00'],
  ['text around a time', ' 2026-11-21T12:00:00Z'],
  ['a year before 0 in UTC', '0000-01-01T00:00:00+00:01'],
  ['a time ago before the year 0', '999999d'],
  ['nothing', ''],
])('%s is not a time', (_, text) => {
  expect(() => readTime(text)).toThrow('Use ISO 8601, or 30s, 10m, 2h or 3d for that long ago.');
});

test('a time ago is subtracted from now', () => {
  const before = Date.now();
  const agoMs = before - Date.parse(readTime('2h'));
  expect(agoMs).toBeGreaterThan(2 * 3_600_000 - 10_000);
  expect(agoMs).toBeLessThanOrEqual(2 * 3_600_000);
});

/** Returns what is printed, on a terminal or elsewhere. */
function printed(isTTY: boolean, write: () => void): string {
  let text = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const before = process.stdout.isTTY;
  process.stdout.isTTY = isTTY;
  try {
    write();
  } finally {
    process.stdout.isTTY = before;
  }
  return text;
}

const stranger = 'a\u202eb\x1b[31m';
const safe = 'a\\u202eb\\u001b[31m';

test.each<[string, () => void]>([
  ['a cell', () => printTable([stranger], { name: (text) => text })],
  ['a list in a cell', () => printTable([stranger], { name: (text) => [text] })],
  ['an object in a cell', () => printTable([stranger], { name: (text) => ({ text }) })],
  ['a field', () => printFields({ name: stranger })],
  ['a field with a list', () => printFields({ names: [stranger] })],
])('characters that a terminal would act on are escaped in %s', (_, write) => {
  for (const isTTY of [true, false]) {
    const text = printed(isTTY, write);
    expect(text).toContain(safe);
    expect(text).not.toContain('\u202e');
    expect(text).not.toContain('\x1b');
  }
});

test('JSON is escaped on a terminal, with the same meaning, and unchanged elsewhere', () => {
  const value = { name: `${stranger}\x9b\u{e0041}` };
  const text = JSON.stringify(value, null, 2);
  const shown = printed(true, () => print(text));
  expect(shown).not.toMatch(/[\u202e\x9b]/);
  expect(JSON.parse(shown)).toEqual(value);
  expect(printed(false, () => print(text))).toBe(`${text}\n`);
});

test.each([
  [
    'see https://me:pw@a.test/x?y=b@c, or http://a.test/@x',
    'see https://***@c, or http://a.test/@x',
  ],
  ['http://token@a.test:1/', 'http://***@a.test:1/'],
  ["'me:pw@a.test'", "'***@a.test'"],
  ['mailto:ops@a.test ada@a.test', 'mailto:ops@a.test ada@a.test'],
])('%s is shown as %s', (text, expected) => {
  expect(maskUrls(text)).toBe(expected);
});

test.each([
  ['a\u202eb\u2066\u200f', 'a\\u202eb\\u2066\\u200f'],
  ['\x1b[31m\x7f\x9b\r\t\n', '\\u001b[31m\\u007f\\u009b\\u000d\\u0009\n'],
  ['a\u200bb\u00ad\ufeff\u2028\u{e0041}', 'a\\u200bb\\u00ad\\ufeff\\u2028\\udb40\\udc41'],
  ['Zoë 名 שלום 👩\u200d🚀 ❤️', 'Zoë 名 שלום 👩\u200d🚀 ❤️'],
])('%j is printed as %j', (text, expected) => {
  expect(printable(text)).toBe(expected);
});
