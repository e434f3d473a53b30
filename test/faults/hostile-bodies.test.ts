// Bodies designed to keep a process busy: each gets a 4xx and does not delay other requests.
import { randomBytes } from 'node:crypto';
import { limits } from '../../lib/limits.ts';
import type { Answer } from '../support/api-client.ts';
import { blockedMsAllowed, leastBlocked } from '../support/event-loop.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectProblem } from '../integration/api/problems.ts';

const size = limits.requestBytesMax;

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
  // The first bodies of a process are slow, because the code that reads them is not compiled yet.
  for (let n = 0; n < 20; n += 1) await post(goodBody());
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const post = (body: string): Promise<Answer> => service.call('POST', '/changes', { body });

/** Returns the largest accepted event, with many small values to check. */
function goodBody(): string {
  const values = Array.from({ length: 9_000 }, (_, n) => `value-${n}`);
  const data = { uid: 'u', externalTenantId: 't', values };
  return JSON.stringify({ event: 'agent.updated', data });
}

const fill = (unit: string): string => unit.repeat(Math.floor((size - 200) / unit.length));
const inData = (members: string): string =>
  `{"event":"agent.updated","data":{"uid":"u","externalTenantId":"t",${members}}}`;
const keys = (count: number): string =>
  Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',');

const hostile: [string, () => string, string][] = [
  ['arrays 120,000 deep', () => fill('[]').replaceAll('[]', '['), 'malformed_json'],
  ['closed arrays 120,000 deep', () => '['.repeat(120_000) + ']'.repeat(120_000), 'malformed_json'],
  [
    'objects 40,000 deep',
    () => `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`,
    'malformed_json',
  ],
  ['120,000 numbers', () => inData(`"a":[${fill('1,')}1]`), 'malformed_json'],
  ['120,000 empty objects', () => inData(`"a":[${fill('{},')}{}]`), 'malformed_json'],
  ['a key 20,000 times', () => inData(`${fill('"a":1,')}"a":1`), 'malformed_json'],
  ['20,000 keys', () => inData(keys(20_000)), 'malformed_json'],
  ['1,900 keys, one of them twice', () => inData(`${keys(1_900)},"k7":2`), 'malformed_json'],
  ['2,000 unknown fields', () => `{${keys(2_000)}}`, 'invalid_request'],
  ['a text of backslashes', () => inData(`"a":"${fill('\\\\')}","a":1`), 'malformed_json'],
  ['a text of quotation marks', () => inData(`"a":"${fill('\\"')}","a":1`), 'malformed_json'],
  ['an unterminated text', () => `{"a":"${fill('\\"')}`, 'malformed_json'],
  [
    'a text that ends in a lone surrogate',
    () => inData(`"a":"${fill('x')}\\ud800"`),
    'malformed_json',
  ],
  ['spaces', () => fill(' '), 'malformed_json'],
  ['a number of 250,000 digits', () => inData(`"a":${fill('9')}`), 'malformed_json'],
  [
    'a fraction of 250,000 digits, and a NUL',
    () => inData(`"b":0.${fill('1')},"a":"\\u0000"`),
    'malformed_json',
  ],
  ['a key of 250,000 characters', () => `{"${fill('k')}":1}`, 'invalid_request'],
  [
    'a key that would be cut within a character',
    () => `{"k${'😀'.repeat(60_000)}":1}`,
    'invalid_request',
  ],
  ['random bytes', () => randomBytes(size / 2).toString('latin1'), 'malformed_json'],
  ['a name of 250,000 characters', () => `{"event":"${fill('e')}","data":{}}`, 'invalid_request'],
];

test.each(hostile)(
  '%s are refused without blocking the event loop for long',
  async (_what, make, code) => {
    const body = make();
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(size + 60_000);
    const bad = await leastBlocked(() => post(body));
    expectProblem(bad.result, 400, code as never);
    expect(bad.result.text.length).toBeLessThan(16_384);
    // JSON uses this escape only for half of a character.
    expect(bad.result.text).not.toMatch(/\\ud[89a-f]/i);
    expect(bad.blockedMsMax).toBeLessThan(blockedMsAllowed());
  },
);

test('a metadata key of 250,000 slashes is not returned in full', async () => {
  const metadata = { [fill('/')]: 1 };
  const body = { url: 'https://receiver.example.com/hook', entities: ['agent'], metadata };
  const bad = await service.call('POST', '/webhooks', { body });
  expectProblem(bad, 400, 'invalid_request');
  expect(bad.text.length).toBeLessThan(16_384);
});

test.each([
  [2_000, 202],
  [2_001, 400],
])('an object of %d keys gets %d', async (count, status) => {
  const more = Array.from({ length: count - 2 }, (_, n) => [`key${n}`, n]);
  const data = { uid: 'u', externalTenantId: 't', ...Object.fromEntries(more) };
  const text = JSON.stringify({ event: 'agent.updated', data });
  expect((await post(text)).status).toBe(status);
});

test('after these bodies the process responds as before', async () => {
  expect((await post(goodBody())).status).toBe(202);
  expect((await service.raw('GET', '/healthz')).status).toBe(200);
});
