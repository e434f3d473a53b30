// Signing keys of user tokens over months: published before and after they sign, with many processes, some killed; and
// the keys of webhooks.
import { createPublicKey, verify } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Filter, FindOptions } from 'mongodb';
import { userTokenKeys, webhookKeys } from '../../../lib/identity/key-owner.ts';
import { createKeyRing, type KeyRing } from '../../../lib/identity/key-ring.ts';
import type { SigningKey } from '../../../lib/identity/user-token.ts';
import { createSecretBox } from '../../../lib/platform/secret-box.ts';
import { dayMs, hourMs, minuteMs } from '../../../lib/platform/duration.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { tokenLog } from '../../../lib/platform/logger.ts';
import type { SigningKeyDocument } from '../../../lib/model/signing-key.ts';
import type { Store } from '../../../lib/mongo/connect.ts';
import { signWithKey } from '../../../lib/webhooks/signature.ts';
import { instruments } from '../../../lib/telemetry/instruments.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem } from './problems.ts';

// Real time plus an offset that tests set.
let aheadMs = 0;
const clock = { now: (): Date => new Date(Date.now() + aheadMs) };

const service = useService({ worker: false, clock });

beforeEach(async () => {
  aheadMs += 400 * dayMs;
  await service.store.signingKeys.deleteMany({});
  await service.store.auditLog.deleteMany({});
});

async function signIn(): Promise<string> {
  const answer = await service.call('POST', '/sdkusers/auth', { body: { externalId: 'rotated' } });
  expect(answer.status).toBe(200);
  return String(answer.body['authToken']);
}

async function fetchKeys(): Promise<JSONWebKeySet> {
  const answer = await service.raw('GET', '/.well-known/jwks.json', { headers: {} });
  return answer.body as unknown as JSONWebKeySet;
}

async function publishedKeyIds(): Promise<string[]> {
  return (await fetchKeys()).keys.map((key) => String(key.kid));
}

/** The keys as the settings show them. */
async function shownKeys(): Promise<Record<string, string>[]> {
  const answer = await service.call('GET', '/settings');
  expect(answer.status).toBe(200);
  return answer.body['signingKeys'] as unknown as Record<string, string>[];
}

function keyIdOf(token: string): string {
  return String(decodeProtectedHeader(token).kid);
}

test('a key signs for its period, and is published from an hour before it until its last token has expired', async () => {
  const one = keyIdOf(await signIn());
  expect(await publishedKeyIds()).toEqual([one]);

  aheadMs += 30 * dayMs - hourMs - minuteMs;
  expect(keyIdOf(await signIn())).toBe(one);
  expect(await publishedKeyIds()).toEqual([one]);

  aheadMs += 2 * minuteMs;
  expect(keyIdOf(await signIn())).toBe(one);
  const [, two] = await publishedKeyIds();
  expect(two).toBeDefined();

  aheadMs += hourMs;
  expect(keyIdOf(await signIn())).toBe(two);
  expect(await publishedKeyIds()).toEqual([one, two]);

  aheadMs += hourMs + 4 * minuteMs;
  expect(await publishedKeyIds()).toEqual([one, two]);
  aheadMs += 3 * minuteMs;
  expect(await publishedKeyIds()).toEqual([two]);
  expect(keyIdOf(await signIn())).toBe(two);
  expect(await service.store.signingKeys.countDocuments()).toBe(1);

  const rows = await service.store.auditLog.find().sort({ _id: 1 }).toArray();
  expect(rows.map((row) => [row.action, row.target.uid, row.actor.kind])).toEqual([
    ['signing_key.created', one, 'system'],
    ['signing_key.created', two, 'system'],
    ['signing_key.removed', one, 'system'],
  ]);
});

test('the settings show the state of each published key, and when the next one signs', async () => {
  const one = keyIdOf(await signIn());
  const [only, ...none] = await shownKeys();
  expect(none).toEqual([]);
  expect(only).toMatchObject({ kid: one, state: 'active' });
  const monthMs = Date.parse(only?.['signsUntil'] ?? '') - Date.parse(only?.['signsFrom'] ?? '');
  expect(monthMs).toBe(30 * dayMs);
  aheadMs += 30 * dayMs - hourMs + minuteMs;
  const [active, next] = await shownKeys();
  expect(active).toMatchObject({ kid: one, state: 'active', signsUntil: next?.['signsFrom'] });
  expect(next?.['state']).toBe('next');
  aheadMs += hourMs;
  expect((await shownKeys()).map(({ kid, state }) => [kid, state])).toEqual([
    [one, 'retiring'],
    [next?.['kid'], 'active'],
  ]);
});

test('a verifier with keys fetched five minutes ago has the key of every token', async () => {
  for (let step = 0; step < 40; step += 1) {
    const keys = await fetchKeys();
    aheadMs += 5 * minuteMs;
    const token = await signIn();
    const currentDate = clock.now();
    await jwtVerify(token, createLocalJWKSet(keys), { currentDate, algorithms: ['ES256'] });
    aheadMs += (step * 7 * hourMs) % (31 * dayMs);
  }
});

function ringOf(store: Store, sealingKeys = service.config.sealingKeys): KeyRing<SigningKey> {
  const secretBox = createSecretBox(sealingKeys);
  const ports = { store, secretBox, clock, rotationMs: 30 * dayMs };
  return createKeyRing(ports, userTokenKeys(store));
}

test('twenty concurrent processes keep one key per generation, and all sign with the same one', async () => {
  const rings = Array.from({ length: 20 }, () => ringOf(service.store));
  for (let step = 0; step < 12; step += 1) {
    const active = await Promise.all(rings.map((ring) => ring.active()));
    expect(new Set(active.map((key) => key.keyId)).size).toBe(1);
    const stored = await service.store.signingKeys.find().toArray();
    expect(new Set(stored.map((key) => key.generation)).size).toBe(stored.length);
    expect(stored.length).toBeLessThanOrEqual(3);
    aheadMs += 15 * dayMs - hourMs / 2;
  }
  const created = await service.store.auditLog.countDocuments({ action: 'signing_key.created' });
  const latest = await service.store.signingKeys.find().sort({ generation: -1 }).toArray();
  expect(created).toBe(latest[0]?.generation);
});

/** The store of a process that is killed at its `call`th access to keys or audit log. */
function dyingStore(call: number): Store {
  let left = call;
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(inner, name) {
        const value: unknown = Reflect.get(inner, name);
        if (typeof value !== 'function') return value;
        return (...rest: unknown[]): unknown => {
          if ((left -= 1) <= 0) throw new Error('no database');
          return value.apply(inner, rest) as unknown;
        };
      },
    });
  const { store } = service;
  const signingKeys = mortal(store.signingKeys);
  return { ...store, signingKeys, auditLog: mortal(store.auditLog) };
}

test('a rotation that is killed at any step is completed by the next process', async () => {
  let died = 0;
  for (let call = 1; call <= 8; call += 1) {
    // A key to remove and a key to add at the same time.
    await service.store.signingKeys.deleteMany({});
    await ringOf(service.store).active();
    aheadMs += 30 * dayMs;
    await ringOf(service.store).active();
    aheadMs += 30 * dayMs;
    await ringOf(dyingStore(call))
      .active()
      .catch(() => (died += 1));
    const ring = ringOf(service.store);
    const { keyId } = await ring.active();
    const stored = await service.store.signingKeys.find().sort({ generation: 1 }).toArray();
    expect(stored.map((key) => key.generation)).toEqual([2, 3]);
    expect(stored[0]?._id).toBe(keyId);
    expect((await ring.published()).map((key) => key.kid)).toEqual(stored.map((key) => key._id));
  }
  expect(died).toBeGreaterThanOrEqual(5);
  expect(died).toBeLessThan(8);
});

test('while the database is unavailable the last keys are published for 20 minutes, after a second, and none signs', async () => {
  let fail = (_error: Error): void => undefined;
  const silence = (): Promise<never> => new Promise((_resolve, reject) => (fail = reject));
  let isAway = false;
  const find = (filter: Filter<SigningKeyDocument>, options: FindOptions) => {
    const found = service.store.signingKeys.find(filter, options);
    return isAway ? Object.assign(found, { toArray: silence }) : found;
  };
  const signingKeys = Object.create(service.store.signingKeys, { find: { value: find } });
  const ring = ringOf({ ...service.store, signingKeys });
  const keys = await ring.published();
  expect(keys).toHaveLength(1);
  const warned = jest.spyOn(tokenLog, 'warn').mockImplementation(() => undefined);
  isAway = true;
  aheadMs += 19 * minuteMs;
  for (let n = 0; n < 3; n += 1) expect(await ring.published()).toEqual(keys);
  const signing = ring.active();
  fail(new Error('no database'));
  await expect(signing).rejects.toThrow('no database');
  expect(warned.mock.calls.map(([, message]) => message)).toEqual(['signing_keys.read_failed']);
  warned.mockRestore();
  aheadMs += minuteMs + 1;
  const late = ring.published();
  fail(new Error('no database'));
  await expect(late).rejects.toThrow('no database');
  isAway = false;
  expect(await ring.published()).toEqual(keys);
});

test.each(['another', 'the same'])(
  'each use of a key that cannot be unsealed is counted and logged (%s id of the sealing key)',
  async (name) => {
    await ringOf(service.store).active();
    const id = name === 'the same' ? String(service.config.sealingKeys[0]?.id) : 'other';
    const ring = ringOf(service.store, [{ id, key: Buffer.alloc(32, 1) }]);
    const counted = jest.spyOn(instruments.signingKeyFailures, 'add');
    const warned = jest.spyOn(tokenLog, 'warn').mockImplementation(() => undefined);
    for (let n = 0; n < 2; n += 1) await expect(ring.active()).rejects.toThrow();
    expect(counted).toHaveBeenCalledTimes(2);
    const messages = warned.mock.calls.map(([, message]) => message);
    expect(messages).toEqual(Array(2).fill('signing_keys.read_failed'));
    counted.mockRestore();
    warned.mockRestore();
    expect(await ring.published()).toHaveLength(1);
  },
);

test('the keys are published while all permits are held', async () => {
  await using busy = await startService({ worker: false, env: { HERALD_REQUESTS_AT_ONCE: '1' } });
  const taking = busy.context.load.enter();
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const taken = Array.from({ length: 5 }, (_, n) =>
    taking.handle({ group: `app-${n}`, member: null }, () => ended),
  );
  try {
    const refused = await busy.raw('GET', '/docs/migration', { headers: {} });
    const keys = await busy.raw('GET', '/.well-known/jwks.json', { headers: {} });
    expect([refused.status, keys.status]).toEqual([503, 200]);
  } finally {
    end();
    await Promise.all(taken);
    taking.leave();
  }
});

test('a key that is deleted from the database signs for at most another minute', async () => {
  const leaked = keyIdOf(await signIn());
  await service.store.signingKeys.deleteOne({ _id: leaked });
  aheadMs += minuteMs + 1;
  const next = keyIdOf(await signIn());
  expect(next).not.toBe(leaked);
  expect(await publishedKeyIds()).toEqual([next]);
});

test('a key that is deleted from the database is published for at most another minute, even by an idle process', async () => {
  const ring = ringOf(service.store);
  const [leaked] = await ring.published();
  await service.store.signingKeys.deleteOne({ _id: String(leaked?.kid) });
  const current = await ringOf(service.store).active();
  aheadMs += minuteMs + 1;
  expect((await ring.published()).map((key) => key.kid)).toEqual([current.keyId]);
});

// The keys of each application's webhooks, made by the first reader, are rotated by the same code.
type Jwk = Record<string, string>;

const fetchSet = (appUid: string, headers: Record<string, string> = {}) =>
  service.raw('GET', `/api/v1/appuid/${appUid}/.well-known/webhook-keys.json`, { headers });

function webhookRingOf(appUid: string) {
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
  const [key, ...others] = answer.body['keys'] as unknown as Jwk[];
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
  const active = await Promise.all(
    Array.from({ length: 20 }, () => webhookRingOf(appUid).active()),
  );
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

test('a private key is sealed, and does not open in another application', async () => {
  const [mine, theirs] = [newId('app'), newId('app')];
  await webhookRingOf(mine).active();
  const key = await service.store.webhookKeys.findOne({ appUid: mine });
  expect(JSON.stringify(key)).not.toContain('PRIVATE KEY');
  if (key === null) throw new Error('there is no key');
  await service.store.webhookKeys.insertOne({ ...key, _id: `${key._id}2`, appUid: theirs });
  await expect(webhookRingOf(theirs).active()).rejects.toThrow();
});
