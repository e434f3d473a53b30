// `agent-herald verify` explains what happened to a body, a secret or a signature.
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProgram } from '../../../../packages/cli/src/program.ts';
import { readHeaders } from '../../../../packages/cli/src/saved-request.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';
import { runVerify } from './run-verify.ts';

const otherSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const now = new Date('2026-11-21T12:00:00Z');
const seconds = String(now.getTime() / 1_000);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verify-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Headers = Record<string, string>;

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
  return runVerify({ headers, body, args: ['--secret', secret, ...args] });
}

async function expectWhy(saved: Saved, why: string): Promise<void> {
  const { failure, checks } = await verify(saved);
  expect(failure).toBe('wrong: webhook-signature, x-webhook-signature');
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
  ['decoded as Latin-1 twice', (body) => latin1(latin1(body)), decoded],
  ['encoded as UTF-16', (body) => Buffer.from(`\ufeff${body.toString()}`, 'utf16le'), 'UTF-16'],
  ['with a byte order mark', (body) => Buffer.from(`\ufeff${body.toString()}`), 'order mark'],
  ['with a line break of Windows', changed(/$/, '\r\n'), 'line break was added at the end'],
  ['indented', again((value) => JSON.stringify(value, null, 2)), parsed],
  ['indented with line breaks of Windows', changed(/,"/g, ',\r\n"'), parsed],
  ['with escapes', again((value) => escaped(JSON.stringify(value))), parsed],
  ['with escaped slashes', changed('a/b', 'a\\/b'), parsed],
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

test('a body encoded as Latin-1', async () => {
  const body = Buffer.from(JSON.stringify({ ...event, data: { uid: 'agt_1', name: 'Zoë' } }));
  const arrived = Buffer.from(body.toString(), 'latin1');
  await expectWhy({ headers: signed(body), body: arrived }, 'the body was encoded as Latin-1');
});

test('numbers keep the spelling in which they arrived', async () => {
  const body = Buffer.from(eventBody.toString().replace('"ratio":1', '"ratio":1.0'));
  const spaced = Buffer.from(body.toString().replaceAll('":', '": '));
  await expectWhy({ headers: signed(body), body: spaced }, parsed);
});

test('two changes are both named', async () => {
  const saved = { body: Buffer.from(`${latin1(eventBody).toString()}\n`) };
  await expectWhy(saved, 'a line break was added at the end of the body; and the body was decoded');
});

test.each<[string, Saved, string]>([
  ['another secret', { secret: otherSecret }, 'another secret, or a changed body'],
  ['an empty body', { body: Buffer.alloc(0) }, 'is empty: it was read before it was saved'],
  [
    'another length',
    {
      body: eventBody.subarray(0, 99),
      headers: { ...signed(eventBody), 'Content-Length': String(eventBody.length) },
    },
    `has 99 bytes, but Content-Length says ${eventBody.length}`,
  ],
  [
    'replaced letters',
    { body: changed('ë', '\ufffd')(eventBody) },
    'decoded with the wrong charset',
  ],
])('the likely cause is reported for %s', async (_, saved, why) => {
  await expectWhy(saved, why);
});

test('the Content-Length of the original does not hide a proven cause', async () => {
  const headers = { ...signed(eventBody), 'Content-Length': String(eventBody.length) };
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
    'the key must be the base64-decoded bytes',
  ],
  ['webhook-signature', `v1,${hmac(key).digest('base64')}`, 'must cover webhook-id'],
  [
    'webhook-signature',
    `v1,${hmac(receiverSecret).digest('base64')}`,
    'after whsec_, and it must cover',
  ],
  ['webhook-signature', hmac(key, start).digest('base64'), 'not written as v1, followed by base64'],
  [
    'webhook-signature',
    `v1,${hmac(key, start).digest('hex')}`,
    'not written as v1, followed by base64',
  ],
  ['X-Webhook-Signature', `sha256=${hmac(key).digest('hex')}`, 'the whole text of the secret'],
  ['X-Webhook-Signature', `sha256=${hmac(receiverSecret, start).digest('hex')}`, 'only the body'],
  ['X-Webhook-Signature', `SHA256=${hmac(receiverSecret).digest('hex')}`, 'not written as sha256='],
  ['X-Webhook-Signature', hmac(receiverSecret).digest('base64'), 'not written as sha256='],
])('%s: %s was made in a different way', async (name, value, why) => {
  const { checks, failure } = await verify({ headers: { ...signed(eventBody), [name]: value } });
  expect(failure).toBe(`wrong: ${name.toLowerCase()}`);
  expect(checks.find(({ check }) => check === name.toLowerCase())?.why).toContain(why);
});

test.each([
  ['timestamp', 'the body has no timestamp'],
  ['eventId', 'the body has no eventId'],
  ['version', 'the body has no version'],
  ['data', 'the body has no data with a uid'],
])('a right signature over a body without %s is right, and the body is not', async (field, why) => {
  const { [field]: _, ...rest } = event as Record<string, unknown>;
  const body = Buffer.from(JSON.stringify(rest));
  const { checks, failure } = await verify({ headers: signed(body), body });
  expect(failure).toBe('wrong: body');
  expect(checks.map(({ result }) => result)).toEqual(['right', 'right', 'not checked', 'wrong']);
  expect(checks[3]).toMatchObject({ check: 'body', code: 'invalid_body' });
  expect(checks[3]?.why).toContain(`the signature is right, but ${why}`);
});

test('a right signature over another eventId than in the header is right, and the body is not', async () => {
  const body = Buffer.from(JSON.stringify({ ...event, eventId: 'evt_2' }));
  const { checks, failure } = await verify({ headers: signed(body), body });
  expect(failure).toBe('wrong: body');
  expect(checks[3]).toMatchObject({ code: 'event_id_mismatch' });
});

test('a wrong signature says nothing about the body', async () => {
  const body = Buffer.from('{}');
  const { checks } = await verify({ headers: signed(Buffer.from('{"a":1}')), body });
  expect(checks).toHaveLength(3);
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

test.each([
  [{ 'webhook-timestamp': `${seconds}000` }, [], 'it is in milliseconds'],
  [{}, ['--received-at', '2026-11-21T11:54:59Z'], 'a clock or --received-at is wrong'],
])('a time: %j %j', async (headers, args, why) => {
  const { checks } = await verify({ headers: { ...signed(eventBody), ...headers }, args });
  expect(checks[2]?.why).toContain(why);
});

test('a byte order mark before the headers is ignored', () => {
  for (const mark of ['\ufeff', '\xef\xbb\xbf'])
    expect(readHeaders(`${mark}webhook-id: a\n`)).toEqual({ 'webhook-id': 'a' });
});

test('the sample delivery of the tests is right', async () => {
  const { headers, body } = signedDelivery();
  const { failure } = await verify({ headers, body: Buffer.from(body) });
  expect(failure).toBeNull();
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
  const { failure } = await runVerify({ headers: signed(eventBody), body: eventBody, args: [] });
  expect(failure).toBe('--secret or --public-keys is required');
});
