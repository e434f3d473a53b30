// `agent-herald verify` explains what happened to a body, a secret, a time or a signature.
import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '../../../../packages/cli/src/program.ts';
import { readHeaders, readRawRequest } from '../../../../packages/cli/src/saved-request.ts';
import { receiverSecret } from '../../../support/signed-deliveries.ts';

const otherSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const now = new Date('2026-11-21T12:00:00Z');
const seconds = String(now.getTime() / 1_000);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verify-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Headers = Record<string, string>;

interface Check {
  check: string;
  result: string;
  code: string | null;
  why: string;
}

/** Returns the checks of a saved request, and the message of the error with which the command failed. */
async function runVerify(headers: Headers, body: Buffer, args: readonly string[]) {
  await writeFile(join(folder, 'headers'), JSON.stringify(headers));
  await writeFile(join(folder, 'body'), body);
  let printed = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    printed += String(chunk);
    return true;
  });
  const files = ['--headers', join(folder, 'headers'), '--body', join(folder, 'body')];
  const failure = await createProgram()
    .parseAsync(['--json', 'verify', ...files, ...args], { from: 'user' })
    .then(
      () => null,
      (error: Error) => error.message,
    );
  write.mockRestore();
  return { failure, checks: JSON.parse(printed || '[]') as Check[] };
}

const event = {
  eventId: 'evt_1',
  event: 'agent.updated',
  timestamp: '2026-11-21T11:59:59.000Z',
  appUid: 'app_1',
  version: 1,
  data: { uid: 'agt_1', externalTenantId: 't', agentName: 'Zoë – “Ada”', ratio: 1, note: 'a/b' },
};
const eventBody = Buffer.from(JSON.stringify(event));

/** Signs like the service (docs/webhooks.md, "Headers"), with separate code. */
function signed(body: Buffer, secret = receiverSecret): Headers {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = createHmac('sha256', key).update(`evt_1.${seconds}.`).update(body);
  return {
    'X-Webhook-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'X-Webhook-Event-Id': 'evt_1',
    'webhook-id': 'evt_1',
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${standard.digest('base64')}`,
  };
}

interface Saved {
  headers?: Headers;
  body?: Buffer;
  secret?: string;
  args?: readonly string[];
}

/** Runs the command on headers and a body, and returns its checks and whether it failed. */
function verify({ headers = signed(eventBody), body = eventBody, ...rest }: Saved) {
  const { secret = receiverSecret, args = [] } = rest;
  return runVerify(headers, body, ['--secret', secret, ...args]);
}

async function expectWhy(saved: Saved, why: string): Promise<void> {
  const { failure, checks } = await verify(saved);
  expect(failure).toBe('wrong: webhook-signature, x-webhook-signature');
  // A wrong signature says nothing about the body.
  expect(checks).toHaveLength(3);
  for (const check of checks.slice(0, 2)) {
    expect(check).toMatchObject({ result: 'wrong', code: 'signature_mismatch' });
    expect(check.why).toContain(why);
  }
}

const latin1 = (body: Buffer) => Buffer.from(body.toString('latin1'));
const windows1252 = (body: Buffer) => Buffer.from(new TextDecoder('windows-1252').decode(body));
const changed = (pattern: RegExp | string, replacement: string) => (body: Buffer) =>
  Buffer.from(body.toString('utf8').replace(pattern, replacement));
const again = (write: (value: unknown) => string) => (body: Buffer) =>
  Buffer.from(write(JSON.parse(body.toString('utf8'))));
const escaped = (text: string) =>
  text.replace(/[^\0-~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
const decoded = 'the body was decoded as Latin-1 and encoded as UTF-8';
const parsed = 'the body was parsed and re-serialised';

test.each<[string, (body: Buffer) => Buffer, string]>([
  ['decoded as Latin-1', latin1, decoded],
  ['decoded as Windows-1252', windows1252, decoded],
  ['encoded as UTF-16', (body) => Buffer.from(`\ufeff${body.toString()}`, 'utf16le'), 'UTF-16'],
  ['with a byte order mark', (body) => Buffer.from(`\ufeff${body.toString()}`), 'order mark'],
  ['with a line break of Windows', changed(/$/, '\r\n'), 'line break was added at the end'],
  ['indented', again((value) => JSON.stringify(value, null, 2)), parsed],
  ['with escapes', again((value) => escaped(JSON.stringify(value))), parsed],
  ['with other numbers', changed('"ratio":1', '"ratio":1.0'), parsed],
  ['as a text of JSON', (body) => Buffer.from(JSON.stringify(body.toString())), 'a JSON string'],
  ['in base64', (body) => Buffer.from(body.toString('base64')), 'base64; decode it first'],
  [
    'in chunks',
    (body) =>
      Buffer.from(
        `5\r\n${body.toString('latin1', 0, 5)}\r\n${(body.length - 5).toString(16)};a=b\r\n${body.toString('latin1', 5)}\r\n0\r\n\r\n`,
        'latin1',
      ),
    'chunked transfer encoding',
  ],
])('a body %s', async (_, change, why) => {
  await expectWhy({ body: change(eventBody) }, why);
});

const umlaut = Buffer.from(JSON.stringify({ ...event, data: { uid: 'agt_1', name: 'Zoë' } }));
const withZero = changed('"ratio":1', '"ratio":1.0')(eventBody);
const spaced = Buffer.from(withZero.toString().replaceAll('":', '": '));
const isLong = { 'Content-Length': String(eventBody.length) };
const bothChanges = 'a line break was added at the end of the body; and the body was decoded';

test.each<[string, Saved, string]>([
  [
    'a body encoded as Latin-1',
    { headers: signed(umlaut), body: Buffer.from(umlaut.toString(), 'latin1') },
    'the body was encoded as Latin-1',
  ],
  ['numbers spelled as they arrived', { headers: signed(withZero), body: spaced }, parsed],
  ['two changes', { body: Buffer.from(`${latin1(eventBody).toString()}\n`) }, bothChanges],
  ['another secret', { secret: otherSecret }, 'another secret, or a changed body'],
  ['an empty body', { body: Buffer.alloc(0) }, 'is empty: it was read before it was saved'],
  [
    'another length',
    { body: eventBody.subarray(0, 99), headers: { ...signed(eventBody), ...isLong } },
    `has 99 bytes, but Content-Length says ${eventBody.length}`,
  ],
  ['replaced letters', { body: changed('ë', '\ufffd')(eventBody) }, 'with the wrong charset'],
])('the likely cause is reported for %s', async (_, saved, why) => {
  await expectWhy(saved, why);
});

test('the Content-Length of the original does not hide a proven cause', async () => {
  const headers = { ...signed(eventBody), ...isLong };
  await expectWhy({ headers, body: latin1(eventBody) }, decoded);
  const right = await verify({ headers: { ...headers, 'Content-Length': '7' } });
  expect(right.failure).toBeNull();
});

test('if one signature is right, the other was made with another secret', async () => {
  const headers = {
    ...signed(eventBody),
    'X-Webhook-Signature': signed(eventBody, otherSecret)['X-Webhook-Signature'] ?? '',
  };
  const { checks, failure } = await verify({ headers });
  expect(failure).toBe('wrong: x-webhook-signature');
  expect(checks[1]?.why).toContain('another secret, perhaps during a rotation');
});

const key = Buffer.from(receiverSecret.slice(6), 'base64');
const hmac = (secret: string | Buffer, start = '') =>
  createHmac('sha256', secret).update(start).update(eventBody);
const start = `evt_1.${seconds}.`;

test.each([
  [
    'webhook-signature',
    `v1,${hmac(receiverSecret, start).digest('base64')}`,
    'base64-decoded bytes',
  ],
  ['webhook-signature', `v1,${hmac(key).digest('base64')}`, 'must cover webhook-id'],
  ['webhook-signature', hmac(key, start).digest('base64'), 'not written as v1, followed by base64'],
  ['X-Webhook-Signature', `sha256=${hmac(key).digest('hex')}`, 'the whole text of the secret'],
  ['X-Webhook-Signature', `sha256=${hmac(receiverSecret, start).digest('hex')}`, 'only the body'],
  ['X-Webhook-Signature', `SHA256=${hmac(receiverSecret).digest('hex')}`, 'not written as sha256='],
])('%s: %s was made in a different way', async (name, value, why) => {
  const { checks, failure } = await verify({ headers: { ...signed(eventBody), [name]: value } });
  expect(failure).toBe(`wrong: ${name.toLowerCase()}`);
  expect(checks.find(({ check }) => check === name.toLowerCase())?.why).toContain(why);
});

test.each([
  ['no timestamp', { timestamp: undefined }, 'invalid_body', 'has no timestamp'],
  ['no data', { data: undefined }, 'invalid_body', 'has no data with a uid'],
  ['another eventId than in the header', { eventId: 'evt_2' }, 'event_id_mismatch', ''],
])('a right signature over a body with %s is right, and the body is not', async (...row) => {
  const [, fields, code, why] = row;
  const body = Buffer.from(JSON.stringify({ ...event, ...fields }));
  const { checks, failure } = await verify({ headers: signed(body), body });
  expect(failure).toBe('wrong: body');
  expect(checks.map(({ result }) => result)).toEqual(['right', 'right', 'not checked', 'wrong']);
  expect(checks[3]).toMatchObject({ check: 'body', code, why: expect.stringContaining(why) });
});

test('without webhook-… headers, a proxy is suspected of dropping them', async () => {
  const { 'X-Webhook-Signature': signature = '' } = signed(eventBody);
  const { checks, failure } = await verify({ headers: { 'X-Webhook-Signature': signature } });
  expect(failure).toBe('wrong: webhook-signature, webhook-timestamp');
  expect(checks[0]?.why).toContain('use the scheme body-only');
});

test.each([
  [`"${receiverSecret}"`, 'contains quotes, spaces, line breaks or invisible characters'],
  [`${receiverSecret}\u200b`, 'invisible characters'],
  [`${receiverSecret.slice(0, 20)}\n${receiverSecret.slice(20)}`, 'line breaks or invisible'],
  [`\t${receiverSecret}\r\n`, 'spaces or line breaks around it'],
])('a secret as %j', async (secret, why) => {
  const { checks, failure } = await verify({ secret });
  expect(failure).toBe('wrong: webhook-signature, x-webhook-signature');
  for (const check of checks.slice(0, 2)) expect(check.why).toContain(why);
});

const at = (text: string) => ['--received-at', text];

test.each<[Headers, readonly string[], string]>([
  [{ 'webhook-timestamp': `${seconds}000` }, [], 'it is in milliseconds'],
  [{ 'webhook-timestamp': '' }, at('2026-11-21T12:00:00Z'), 'webhook-timestamp is missing'],
  [{ 'webhook-timestamp': '99999999999999' }, [], 'is not whole seconds'],
  [{ 'webhook-timestamp': `${seconds}.5` }, [], 'is not whole seconds'],
  [{}, at('2026-11-21T12:05:01Z'), 'the request is 301 s old'],
  [{ 'webhook-id': '' }, at('2026-11-21T12:05:01Z'), 'the request is 301 s old'],
  [{ 'webhook-signature': '' }, at('2026-11-21T12:05:01Z'), 'the request is 301 s old'],
  [{}, at('2026-11-21T11:54:59Z'), 'a clock or --received-at is wrong'],
])('a time: %j %j', async (headers, args, why) => {
  const { checks } = await verify({ headers: { ...signed(eventBody), ...headers }, args });
  expect(checks[2]).toMatchObject({ result: 'wrong', why: expect.stringContaining(why) });
});

test('a time of 300 s ago is right, also without the other webhook-… headers', async () => {
  for (const name of ['', 'webhook-id', 'webhook-signature']) {
    const { [name]: _, ...headers } = signed(eventBody);
    const { checks } = await verify({ headers, args: at('2026-11-21T12:05:00Z') });
    expect(checks[2]?.result).toBe('right');
  }
});

test('verify names a header that is missing', async () => {
  const { 'X-Webhook-Signature': _, ...headers } = signed(eventBody);
  const { checks } = await verify({ headers });
  expect(checks.map(({ result }) => result)).toEqual(['right', 'wrong', 'not checked']);
  expect(checks[1]?.why).toBe('x-webhook-signature is missing');
});

test('headers are read from lines and from JSON', () => {
  expect(readHeaders('POST / HTTP/1.1\nA-b: c: d \n')).toEqual({ 'a-b': 'c: d' });
  for (const mark of ['', '\ufeff', '\xef\xbb\xbf'])
    expect(readHeaders(`${mark}{"A-b": "c"}`)).toEqual({ 'a-b': 'c' });
  const { headers, body } = readRawRequest(Buffer.from('A: b\n\n\r\n\r\nä'));
  expect([headers, body.toString()]).toEqual([{ a: 'b' }, '\r\n\r\nä']);
});

test.each([
  ['a file that is not there', 'missing', /^there is no file \/.*\/missing$/],
  ['a folder', '', /\/ is a folder, not a file$/],
  ['headers that are not JSON', 'half', /\/half begins like JSON, but is not JSON$/],
])('%s is told in words', async (_what, name, message) => {
  await writeFile(join(folder, 'half'), '{"webhook-id":');
  await writeFile(join(folder, 'body'), eventBody);
  const files = ['--headers', `${folder}/${name}`, '--body', join(folder, 'body')];
  const words = ['verify', '--secret', receiverSecret, ...files];
  const error = await createProgram()
    .parseAsync(words, { from: 'user' })
    .catch((fault: Error) => fault);
  expect(error).toMatchObject({ name: 'CommandError', exitCode: 2 });
  expect((error as Error).message).toMatch(message);
});

test('a secret or public keys are required', async () => {
  const { failure } = await runVerify(signed(eventBody), eventBody, []);
  expect(failure).toBe('--secret or --public-keys is required');
});

// Made by another implementation.
type Vector = Record<'publicKey' | 'id' | 'webhookUid' | 'body' | 'signature', string> & {
  timestamp: number;
};
const cases = await readFile('test/unit/crypto/signature-cases.json', 'utf8');
const [vector, otherVector] = (JSON.parse(cases) as { v1a: [Vector, Vector] }).v1a;
const ofVector: Headers = {
  'X-Webhook-Uid': vector.webhookUid,
  'webhook-id': vector.id,
  'webhook-timestamp': String(vector.timestamp),
  'webhook-signature': vector.signature,
};
const right = {
  headers: ofVector,
  body: Buffer.from(vector.body),
  keys: [vector.publicKey],
  webhook: vector.webhookUid,
};

function verifyPublic(saved: Partial<typeof right>) {
  const { headers, body, keys, webhook } = { ...right, ...saved };
  return runVerify(headers, body, ['--public-keys', ...keys, '--webhook', webhook]);
}

test('public keys check v1a alone', async () => {
  const keys = [otherVector.publicKey, vector.publicKey];
  const { checks, failure } = await verifyPublic({ keys });
  expect(failure).toBeNull();
  expect(checks.map(({ check, result }) => [check, result])).toEqual([
    ['webhook-signature v1a', 'right'],
    ['webhook-timestamp', 'not checked'],
  ]);
});

const webhook = otherVector.webhookUid;
const forged = { ...ofVector, 'X-Webhook-Uid': webhook };

test.each<[string, Partial<typeof right>, string]>([
  ['a changed body', { body: Buffer.from(`${vector.body}\n`) }, 'a line break was added'],
  ['another key', { keys: [otherVector.publicKey] }, 'a key of another application'],
  ['another webhook', { webhook }, `it was made for another webhook, ${vector.webhookUid}`],
  ['a forged X-Webhook-Uid', { headers: forged, webhook }, 'another webhook, or a changed body'],
  ['no v1a', { headers: signed(eventBody) }, 'does not have the signature v1a'],
])('v1a is wrong with %s, and the reason is reported', async (_, saved, why) => {
  const { checks, failure } = await verifyPublic(saved);
  expect(failure).toBe('wrong: webhook-signature v1a');
  expect(checks[0]?.why).toContain(why);
});

test('a secret beside v1a alone leads to the public keys', async () => {
  const { checks } = await runVerify(ofVector, right.body, ['--secret', receiverSecret]);
  expect(checks[0]?.why).toContain('check v1a with --public-keys');
});

test.each([[[]], [['--webhook', 'agt_1']]])(
  'public keys with the arguments %j need the uid of the webhook',
  async (args) => {
    const keys = ['--public-keys', vector.publicKey, ...args];
    const { failure } = await runVerify(ofVector, right.body, keys);
    expect(failure).toBe('--webhook must be the uid of the webhook (whk_…) with --public-keys');
  },
);
