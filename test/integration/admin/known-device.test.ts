// Guesses from the same address do not delay a browser in which an admin has signed in before.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyPassword } from '../../../lib/access/password.ts';
import { resetPassword, unlinkAdmin } from '../../../lib/access/create-admin.ts';
import { beginSignInAttempt } from '../../../lib/access/sign-in-throttle.ts';
import { makeTestAdmin, sessionHeaders, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from '../api/problems.ts';

let service: TestService;
let ada: TestAdmin;
let now: Date;

beforeAll(async () => {
  now = new Date();
  service = await startService({ worker: false, clock: { now: () => now } });
});

beforeEach(async () => {
  ada = await makeTestAdmin(service);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

interface SignIn {
  email?: string;
  password?: string;
  /** The cookie of a browser. */
  device?: string;
}

async function signIn({ email, password, device }: SignIn): Promise<Answer> {
  const body = { email: email ?? ada.email, password: password ?? ada.password };
  const headers = device === undefined ? {} : { cookie: device };
  return service.raw('POST', '/admin/api/session', { headers, body });
}

/** Returns the cookie of a response that makes the browser known. */
function deviceOf(answer: Pick<Answer, 'headers'>): string {
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return cookies.find((cookie) => cookie.startsWith('__Host-herald_device=')) ?? '';
}

/** Waits until earlier blocks have ended, and returns a browser in which the admin has signed in. */
async function makeDevice(): Promise<string> {
  now = new Date(now.getTime() + 60 * 60_000);
  const answer = await signIn({});
  expect(answer.status).toBe(200);
  return deviceOf(answer);
}

/** Blocks the email at the shared address of all callers, like five guesses do. */
async function blockAddress(email = ada.email): Promise<void> {
  const guesser = { email, address: '127.0.0.1' };
  const pepper = service.config.keyPepper;
  for (let i = 0; i < 6; i += 1) await beginSignInAttempt(service.store, guesser, { pepper, now });
  expectProblem(await signIn({ email }), 429, 'too_many_sign_ins');
}

test('a known browser signs in while others at its address are blocked, and each sign-in renews its cookie', async () => {
  const device = await makeDevice();
  await blockAddress();
  const answer = await signIn({ device });
  expect(answer.status).toBe(200);
  expect(deviceOf(answer)).not.toBe(device);
  expect((await signIn({ device: deviceOf(answer) })).status).toBe(200);
  expectProblem(await signIn({}), 429, 'too_many_sign_ins');
});

test('five wrong passwords block a known browser and no other client', async () => {
  const device = await makeDevice();
  const other = deviceOf(await signIn({}));
  for (let i = 0; i < 5; i += 1) {
    const wrong = await signIn({ device, password: 'a guess' });
    expectProblem(wrong, 401, 'sign_in_refused');
    expect(wrong.headers.getSetCookie()).toEqual([]);
  }
  const answer = await signIn({ device });
  expectProblem(answer, 429, 'too_many_sign_ins');
  expect(answer.headers.get('retry-after')).toBe('1');
  expect((await signIn({ device: other })).status).toBe(200);
  expect((await signIn({})).status).toBe(200);
});

/** Keeps as many password checks running as strangers at these addresses may. Returns the function that stops them. */
function crowd(groupOf: (n: number) => string): () => Promise<void> {
  const over = new AbortController();
  const guess = async (n: number): Promise<void> => {
    const queue = { queue: 'anyone', group: groupOf(n) } as const;
    while (!over.signal.aborted) await verifyPassword('a guess', null, queue);
  };
  // Those that find their share of the queue taken are refused.
  const guesses = Promise.allSettled(Array.from({ length: 18 }, (_, n) => guess(n)));
  return async () => {
    over.abort();
    await guesses;
  };
}

test('strangers at one address do not keep an admin at another from signing in', async () => {
  const disperse = crowd(() => 'one address');
  try {
    expect((await signIn({})).status).toBe(200);
  } finally {
    await disperse();
  }
}, 120_000);

test('a known browser signs in despite a crowd of strangers, whose rejected attempts do not count as guesses', async () => {
  const device = await makeDevice();
  const disperse = crowd((n) => `address ${n}`);
  try {
    for (let i = 0; i < 6; i += 1) expectProblem(await signIn({}), 503, 'overloaded');
    expect((await signIn({ device })).status).toBe(200);
  } finally {
    await disperse();
  }
  expect((await signIn({})).status).toBe(200);
}, 120_000);

test("a device cookie that is another admin's, altered, sent twice or too old is ignored", async () => {
  const device = await makeDevice();
  const mallory = await makeTestAdmin(service);
  const { email, password } = mallory;
  const theirs = deviceOf(await signIn({ email, password }));
  await blockAddress();
  const changed = device.slice(0, -8) + (device.at(-8) === 'A' ? 'B' : 'A') + device.slice(-7);
  for (const cookie of [theirs, changed, `${device}; ${device}`, '__Host-herald_device=x']) {
    expectProblem(await signIn({ device: cookie }), 429, 'too_many_sign_ins');
  }
  now = new Date(now.getTime() + 180 * 24 * 60 * 60_000 - 3_600_000);
  await blockAddress();
  expect((await signIn({ device })).status).toBe(200);
  now = new Date(now.getTime() + 3_600_000);
  await blockAddress();
  expectProblem(await signIn({ device }), 429, 'too_many_sign_ins');
});

test.each([
  [
    'a sign-out everywhere',
    async () => {
      const headers = sessionHeaders(await signIn({}));
      expect((await service.raw('DELETE', '/admin/api/sessions', { headers })).status).toBe(204);
    },
  ],
  ['a reset of the password', () => resetPassword(service.store, ada)],
  [
    'an unlinking',
    async () => {
      const identity = { issuer: 'https://provider.example', subject: ada.email };
      await service.store.admins.updateOne({ _id: ada.admin._id }, { $set: { identity } });
      await unlinkAdmin(service.store, ada);
    },
  ],
])('%s makes every browser of the admin unknown', async (_name, forget) => {
  const device = await makeDevice();
  await forget();
  await blockAddress();
  expectProblem(await signIn({ device }), 429, 'too_many_sign_ins');
});

test('signing out keeps the device cookie, signing out everywhere removes it', async () => {
  const taken = async (path: string): Promise<string[]> => {
    await makeDevice();
    const headers = sessionHeaders(await signIn({}));
    const answer = await service.raw('DELETE', `/admin/api${path}`, { headers });
    return answer.headers.getSetCookie().map((cookie) => cookie.split('; Max-Age=0')[0] ?? '');
  };
  expect(await taken('/session')).toEqual(['__Host-herald_admin=']);
  expect(await taken('/sessions')).toEqual(['__Host-herald_admin=', '__Host-herald_device=']);
});

test('a known browser can change the password while its address is blocked, and all others become unknown', async () => {
  const [device, other] = [await makeDevice(), deviceOf(await signIn({}))];
  const headers = sessionHeaders(await signIn({}));
  await blockAddress();
  const body = { currentPassword: ada.password, newPassword: 'another correct horse' };
  const change = (cookie: string): Promise<Answer> =>
    service.raw('POST', '/admin/api/password', { headers: { ...headers, cookie }, body });
  expectProblem(await change(headers['cookie'] ?? ''), 429, 'too_many_sign_ins');
  const changed = await change(`${headers['cookie']}; ${device}`);
  expect(changed.status).toBe(200);
  const password = body.newPassword;
  expect((await signIn({ password, device: deviceOf(changed) })).status).toBe(200);
  for (const old of [device, other]) {
    expectProblem(await signIn({ password, device: old }), 429, 'too_many_sign_ins');
  }
});

test('the device cookie does not identify the admin', async () => {
  const device = await makeDevice();
  const bytes = Buffer.from(device.split('.')[1] ?? '', 'base64').toString('latin1');
  for (const text of [ada.email, ada.admin._id]) expect(device + bytes).not.toContain(text);
});
