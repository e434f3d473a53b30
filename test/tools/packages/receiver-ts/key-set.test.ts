// Verification with public keys, given or fetched: what is fetched when, and what serves meanwhile.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Verifier, WebhookRefused } from '../../../../packages/receiver-ts/src/index.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { keySetCases, receiverCases, type ServedKeySet } from '../../../support/receiver-cases.ts';
import { checkerOf } from '../../../../packages/receiver-ts/src/ed25519.ts';

const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;
const xOf = (key: KeyObject): string => createPublicKey(key).export({ format: 'jwk' }).x ?? '';
const jwkOf = (key: KeyObject) => ({ kty: 'OKP', crv: 'Ed25519', x: xOf(key) });
const textOf = (key: KeyObject) => `whpk_${Buffer.from(xOf(key), 'base64url').toString('base64')}`;

const [first, second] = [newKey(), newKey()];
const webhookUid = 'whk_1';
const body = JSON.stringify({
  eventId: 'evt_1',
  event: 'agent.updated',
  timestamp: '2026-01-01T12:00:00.000Z',
  appUid: 'app_1',
  version: 1,
  data: { uid: 'agt_1', externalTenantId: 'tenant-1' },
});

let seconds = 1_767_268_800;
const now = (): number => seconds * 1_000;
/** What the server responds with; null closes the connection. */
let served: { status: number; body: string; cacheControl?: string | string[] | undefined } | null =
  null;
let requests = 0;
let userAgents: (string | undefined)[] = [];
/** The responses that wait for `release`; null if none has to. */
let held: (() => void)[] | null = null;

function release(): void {
  for (const respond of held ?? []) respond();
  held = null;
}

const server = createServer((request, response) => {
  requests += 1;
  userAgents.push(request.headers['user-agent']);
  if (held === null) respondTo(response);
  else held.push(() => respondTo(response));
});

function respondTo(response: ServerResponse): void {
  if (served === null) return void response.destroy();
  const { status, cacheControl } = served;
  if (cacheControl !== undefined) response.setHeader('cache-control', cacheControl);
  return void response.writeHead(status, { location: '/other' }).end(served.body);
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  requests = 0;
  userAgents = [];
  release();
});
afterAll(() => void server.close());

const serve = (keys: readonly unknown[]): void => {
  served = { status: 200, body: JSON.stringify({ keys }) };
};

function delivery(key: KeyObject, { extra = '' } = {}) {
  const signed = Buffer.from(`evt_1.${seconds}.${webhookUid}.${body}`);
  const entry = `v1a,${sign(null, signed, key).toString('base64')}`;
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,AAAA ${extra}${entry}`,
  };
  return { headers, body };
}

async function verdict(verifier: Verifier, request: ReturnType<typeof delivery>): Promise<string> {
  try {
    await verifier.verify(request);
    return 'ok';
  } catch (error) {
    if (error instanceof WebhookRefused) return error.code;
    throw error;
  }
}

const fetching = (): Verifier => {
  const { port } = server.address() as AddressInfo;
  return new Verifier({ keySetUrl: `http://127.0.0.1:${port}/keys.json`, webhookUid, now });
};

test('a given public key verifies; the key of another does not', async () => {
  const verifier = new Verifier({ publicKeys: [textOf(first)], webhookUid, now });
  expect(await verdict(verifier, delivery(first))).toBe('ok');
  expect(await verdict(verifier, delivery(second))).toBe('signature_mismatch');
  const both = new Verifier({ publicKeys: [textOf(first), textOf(second)], webhookUid, now });
  expect(await verdict(both, delivery(second))).toBe('ok');
});

test.each(receiverCases.v1a)('a vector of v1a: $publicKey', async (vector) => {
  const { publicKey, id, timestamp, webhookUid: uid, body: signed, signature } = vector;
  const keys = { publicKeys: publicKey, webhookUid: uid };
  const verifier = new Verifier({ ...keys, now: () => timestamp * 1_000 });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  };
  expect(await verdict(verifier, { headers, body: signed })).toBe('ok');
  expect(await verdict(verifier, { headers, body: `${signed} ` })).toBe('signature_mismatch');
});

test('at most twenty v1a entries are checked', async () => {
  const verifier = new Verifier({ publicKeys: textOf(first), webhookUid, now });
  const [, wrong = ''] = delivery(second).headers['webhook-signature'].split(' ');
  const after = (count: number) => delivery(first, { extra: `${wrong} `.repeat(count) });
  expect(await verdict(verifier, after(19))).toBe('ok');
  expect(await verdict(verifier, after(20))).toBe('signature_mismatch');
});

test('WebCrypto verifies like Node', async () => {
  const key = Buffer.from(xOf(first), 'base64url');
  const signed = Buffer.from('signed');
  const right = sign(null, signed, first);
  const wrong = sign(null, signed, second);
  for (const check of [checkerOf(key), checkerOf(key, null)]) {
    expect([await check(signed, right), await check(signed, wrong)]).toEqual([true, false]);
  }
});

test('concurrent deliveries share a fetch', async () => {
  serve([jwkOf(first)]);
  const verifier = fetching();
  const verdictsOf = (key: KeyObject) =>
    Promise.all(Array.from({ length: 20 }, () => verdict(verifier, delivery(key))));
  expect([new Set(await verdictsOf(first)), requests]).toEqual([new Set(['ok']), 1]);
  serve([jwkOf(first), jwkOf(second)]);
  seconds += 60;
  expect([new Set(await verdictsOf(second)), requests]).toEqual([new Set(['ok']), 2]);
});

test.each(keySetCases)('$name', async ({ steps }) => {
  const keys: Record<string, KeyObject> = { first, second, third: newKey() };
  const verifier = fetching();
  for (const step of steps) {
    if ('waitSeconds' in step) seconds += step.waitSeconds;
    else if ('respond' in step) release();
    else if ('serve' in step) {
      served = step.serve && answerOf(step.serve, keys);
      if (step.serve?.held === true) held = [];
    } else {
      const { deliver, expect: expected, fetches } = step;
      expect(await verdict(verifier, delivery(keys[deliver] as KeyObject))).toBe(expected);
      // The delivery may not have waited for its fetch.
      await waitFor(() => requests >= fetches);
      expect(requests).toBe(fetches);
    }
  }
});

test('a fetch names the package and its version', async () => {
  serve([jwkOf(first)]);
  expect(await verdict(fetching(), delivery(first))).toBe('ok');
  const { version } = JSON.parse(await readFile('packages/receiver-ts/package.json', 'utf8')) as {
    version: string;
  };
  expect(userAgents).toEqual([`agent-herald-receiver-ts/${version}`]);
});

function answerOf(served: ServedKeySet, named: Readonly<Record<string, KeyObject>>) {
  const { status = 200, cacheControl, bytes = 0, keys = [] } = served;
  const jwks = keys.map((key) => (typeof key === 'string' ? jwkOf(named[key] as KeyObject) : key));
  const text = served.body ?? JSON.stringify({ keys: jwks });
  return { status, body: text.padEnd(bytes), cacheControl };
}

test('a repeated Cache-Control is read as a whole', async () => {
  served = { status: 200, body: JSON.stringify({ keys: [jwkOf(first)] }) };
  served.cacheControl = ['public', 'max-age=1200'];
  const verifier = fetching();
  expect(await verdict(verifier, delivery(first))).toBe('ok');
  seconds += 1_199;
  expect([await verdict(verifier, delivery(first)), requests]).toEqual(['ok', 1]);
});

test('requests that cannot be deliveries cause no fetch', async () => {
  serve([jwkOf(first)]);
  const verifier = fetching();
  const { headers } = delivery(first);
  const without = { ...headers, 'webhook-signature': 'v1,AAAA v1a,AAAA' };
  expect(await verdict(verifier, { headers: without, body })).toBe('signature_mismatch');
  const late = { ...headers, 'webhook-timestamp': String(seconds - 301) };
  expect(await verdict(verifier, { headers: late, body })).toBe('timestamp_too_old');
  expect(requests).toBe(0);
});

test('a receiver without secrets or public keys is refused', () => {
  expect(() => new Verifier({})).toThrow(/^secrets\[0\] must be a text/);
});
