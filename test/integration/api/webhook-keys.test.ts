// The public keys of each application's webhooks: made by the first reader, rotated like the keys of user tokens.
import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhookKeys } from '../../../lib/identity/key-owner.ts';
import { createKeyRing } from '../../../lib/identity/key-ring.ts';
import { dayMs, hourMs, minuteMs } from '../../../lib/platform/duration.ts';
import { createSecretBox } from '../../../lib/platform/secret-box.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { signWithKey } from '../../../lib/webhooks/signature.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from './problems.ts';

// Real time plus an offset that tests set.
let aheadMs = 0;
const clock = { now: (): Date => new Date(Date.now() + aheadMs) };

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false, clock });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

type Jwk = Record<string, string>;

const fetchSet = (appUid: string, headers: Record<string, string> = {}) =>
  service.raw('GET', `/api/v1/appuid/${appUid}/.well-known/webhook-keys.json`, { headers });

async function publishedKeys(): Promise<Jwk[]> {
  const answer = await fetchSet(service.app.appUid);
  expect(answer.status).toBe(200);
  return answer.body['keys'] as unknown as Jwk[];
}

function ringOf(appUid: string) {
  const { store, config } = service;
  const secretBox = createSecretBox(config.sealingKeys);
  return createKeyRing(
    { store, secretBox, clock, rotationMs: 30 * dayMs },
    webhookKeys(store, appUid),
  );
}

test('the set of an application is open, has one Ed25519 key, and is cached like that of user tokens', async () => {
  const answer = await fetchSet(service.app.appUid);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300, stale-if-error=1200');
  const [key, ...others] = await publishedKeys();
  expect(others).toEqual([]);
  expect(key).toEqual({
    kty: 'OKP',
    crv: 'Ed25519',
    x: expect.stringMatching(/^[\w-]{43}$/),
    kid: expect.stringMatching(/^[\w-]{43}$/),
    alg: 'EdDSA',
    use: 'sig',
  });
  const etag = String(answer.headers.get('etag'));
  expect((await fetchSet(service.app.appUid, { 'if-none-match': etag })).status).toBe(304);
});

test.each(['app_1', newId('app')])('%s, which does not exist, gets no keys', async (appUid) => {
  expectProblem(await fetchSet(appUid), 404, 'not_found');
  expect(await service.store.webhookKeys.countDocuments({ appUid })).toBe(0);
});

test('twenty processes that begin together make one key, and each signs what the set verifies', async () => {
  const appUid = newId('app');
  const active = await Promise.all(Array.from({ length: 20 }, () => ringOf(appUid).active()));
  const stored = await service.store.webhookKeys.find({ appUid }).toArray();
  expect(stored).toHaveLength(1);
  const jwk = { key: stored[0]?.publicKey ?? {}, format: 'jwk' } as const;
  for (const key of active) {
    const message = { id: 'evt_1', timestampSeconds: 7, webhookUid: 'whk_1', body: '{"ü":1}' };
    const entry = signWithKey(key, message);
    const [version, signature = ''] = entry.split(',');
    expect(version).toBe('v1a');
    const signed = Buffer.from('evt_1.7.whk_1.{"ü":1}');
    const bytes = Buffer.from(signature, 'base64');
    expect(verify(null, signed, createPublicKey(jwk), bytes)).toBe(true);
    expect(verify(null, Buffer.from('evt_1.7.whk_2.{"ü":1}'), createPublicKey(jwk), bytes)).toBe(
      false,
    );
  }
});

test('a new key is published an hour before it signs, and the old one for an hour after', async () => {
  const [one] = await publishedKeys();
  aheadMs += 30 * dayMs - hourMs - 2 * minuteMs;
  expect(await publishedKeys()).toEqual([one]);
  aheadMs += 4 * minuteMs;
  const [same, two] = await publishedKeys();
  expect(same).toEqual(one);
  expect(two).toBeDefined();
  aheadMs += hourMs;
  expect(await publishedKeys()).toEqual([one, two]);
  aheadMs += 2 * hourMs;
  expect(await publishedKeys()).toEqual([two]);
  const ofApp = service.store.auditLog.find({ appUid: service.app.appUid });
  const entries = await ofApp.sort({ _id: 1 }).toArray();
  const ofKeys = entries.filter(({ action }) => action.startsWith('signing_key.'));
  expect(ofKeys.map(({ action, target }) => [action, target.uid])).toEqual([
    ['signing_key.created', one?.['kid']],
    ['signing_key.created', two?.['kid']],
    ['signing_key.removed', one?.['kid']],
  ]);
});

test('a private key is sealed, and does not open in another application', async () => {
  const [mine, theirs] = [newId('app'), newId('app')];
  await ringOf(mine).active();
  const key = await service.store.webhookKeys.findOne({ appUid: mine });
  expect(JSON.stringify(key)).not.toContain('PRIVATE KEY');
  if (key === null) throw new Error('there is no key');
  await service.store.webhookKeys.insertOne({ ...key, _id: `${key._id}2`, appUid: theirs });
  await expect(ringOf(theirs).active()).rejects.toThrow();
});
