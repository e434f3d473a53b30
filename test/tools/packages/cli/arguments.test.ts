// Options that would fail at every event, or would be sent as something else, are rejected when they are parsed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readSeconds, readUrl } from '../../../../packages/cli/src/arguments.ts';
import { maskUrls } from '../../../../packages/cli/src/printable.ts';
import { writeSettings } from '../../../../packages/cli/src/profiles.ts';
import { createProgram } from '../../../../packages/cli/src/program.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arguments-'));
});
afterAll(() => rm(folder, { recursive: true }));

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
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
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
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  vi.stubEnv('HERALD_URL', 'http://127.0.0.1:1');
  vi.stubEnv('HERALD_APP_UID', 'app_1');
  vi.stubEnv('HERALD_API_KEY', 'key');
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } finally {
    vi.unstubAllEnvs();
  }
}

const good = `whsec_${Buffer.alloc(24).toString('base64')}`;

test.each([`${good}=`, `${good}\n`, `${good.slice(0, -1)}_`, `whsec_${'A'.repeat(33)}`, 'whsec_'])(
  'listen rejects a secret that a receiver would reject: %j',
  async (secret) => {
    const refused = 'a secret is whsec_ followed by at least 24 bytes in base64';
    const listen = ['listen', '--forward-to', 'localhost:4000'];
    await expect(run(...listen, '--secret', secret)).rejects.toThrow(refused);
    vi.stubEnv('XDG_CONFIG_HOME', folder);
    writeSettings({ profiles: {}, listenSecret: secret });
    await expect(run(...listen)).rejects.toThrow(refused);
  },
);

test.each([
  ['events', 'show', ''],
  ['events', 'skip', 'evt_1', ''],
  ['webhooks', 'pause', '..'],
  ['webhooks', 'create', ''],
  ['replays', 'cancel', ' '],
  ['sync', ''],
])('%s %s %s is refused before any call', async (...args) => {
  await expect(run(...args)).rejects.toThrow('It must not be empty or only dots.');
});

test.each([
  ['{"eventId": "evt_1"'],
  ['{"eventId":"evt_1"}'],
  ['{"eventId":\n\n"evt_1"}'],
  ['\ufeff [{}]'],
  [''],
  ['\n\n{}'],
])('verify says that a request without headers has none: %j', async (text) => {
  const path = join(folder, 'request');
  await writeFile(path, text);
  const verify = run('verify', '--secret', good, '--request', path);
  await expect(verify).rejects.toMatchObject({
    exitCode: 2,
    message: `${path} has no headers: save them before the body, or use --headers and --body`,
  });
});

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
