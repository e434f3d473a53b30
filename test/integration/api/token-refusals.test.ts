// The verify call rejects more than a hundred kinds of forged or malformed tokens.
import { assert, asyncProperty, constantFrom, integer } from 'fast-check';
import { addApp } from '../../support/add-app.ts';
import { useService } from '../../support/use-service.ts';
import { type GoodToken, resign, signIn, takeApart, verify } from './token-forge.ts';
import { refusalCases } from './token-refusal-cases.ts';

let good: GoodToken;

const service = useService({ worker: false });

beforeAll(async () => {
  const { accountUid } = service.app;
  const text = await signIn(service, { externalId: 'victim', accountUids: [accountUid] });
  good = await takeApart(service, text);
});

test('the token from which all others are derived is valid, and so is one signed in the same way', async () => {
  expect(await verify(service, good.text)).toMatchObject({ active: true });
  expect(await verify(service, resign(good, {}))).toMatchObject({ active: true });
  const longest = { exp: Number(good.payload['iat']) + 60 * 60 };
  expect(await verify(service, resign(good, { payload: longest }))).toMatchObject({ active: true });
});

test.each(refusalCases)(
  'a token with the fault "%s" is inactive, and the reason does not help an attacker',
  async (_what, make) => {
    const forged = await make(good);
    expect(forged).not.toBe(good.text);
    expect(await verify(service, forged)).toEqual({ active: false, reason: 'invalid' });
    expect(await verify(service, good.text)).toMatchObject({ active: true });
  },
);

test('changing, removing or adding any one character makes a token invalid', async () => {
  const { text } = good;
  const index = integer({ min: 0, max: text.length - 1 });
  const character = constantFrom(...Array.from('AZaz09-_.=+/ é'));
  const removed = constantFrom(0, 1);
  await assert(
    asyncProperty(index, character, removed, async (at, put, taken) => {
      const forged = text.slice(0, at) + put + text.slice(at + taken);
      if (forged === text) return;
      expect(await verify(service, forged)).toEqual({ active: false, reason: 'invalid' });
    }),
    // Shrinking sends as many requests again and may outlast the test. The seed identifies the case.
    { numRuns: 300, endOnFailure: true },
  );
});

const hourSeconds = 60 * 60;

test.each([
  ['a second after its end', { exp: -1 }],
  ['at the moment of its end', { exp: 0 }],
  ['long after its end', { exp: -1_000_000_000 }],
  ['beyond the maximum age of tokens', { iat: -hourSeconds - 6, nbf: -hourSeconds - 6, exp: 60 }],
])('%s a token is expired', async (_when, offsets) => {
  const now = Math.floor(Date.now() / 1_000);
  const times = { iat: now - 10, nbf: now - 10 };
  const entries = Object.entries(offsets).map(([claim, seconds]) => [claim, now + seconds]);
  const payload = { ...times, ...(Object.fromEntries(entries) as object) };
  const forged = resign(good, { payload });
  expect(await verify(service, forged)).toEqual({ active: false, reason: 'expired' });
});

test('a token of another application is invalid, expired or not', async () => {
  const other = await addApp(service);
  expect(await verify(other, good.text)).toEqual({ active: false, reason: 'invalid' });
  const now = Math.floor(Date.now() / 1_000);
  const over = resign(good, { payload: { iat: now - 100, nbf: now - 100, exp: now - 10 } });
  expect(await verify(service, over)).toEqual({ active: false, reason: 'expired' });
  expect(await verify(other, over)).toEqual({ active: false, reason: 'invalid' });
});

test.each([['usr_01m7z102ckeqw5xk7ahxemxjgv'], ['']])(
  'a token of the non-existent user %j is revoked',
  async (sub) => {
    const forged = resign(good, { payload: { sub } });
    expect(await verify(service, forged)).toEqual({ active: false, reason: 'revoked' });
  },
);

test.each([-1, 1, 1_000])('a token whose epoch is off by %d is revoked', async (by) => {
  const forged = resign(good, { payload: { epoch: Number(good.payload['epoch']) + by } });
  expect(await verify(service, forged)).toEqual({ active: false, reason: 'revoked' });
});

test('a token whose key was removed is invalid immediately', async () => {
  const _id = String(good.header['kid']);
  const key = await service.store.signingKeys.findOneAndDelete({ _id });
  expect(await verify(service, good.text)).toEqual({ active: false, reason: 'invalid' });
  if (key !== null) await service.store.signingKeys.insertOne(key);
  expect(await verify(service, good.text)).toMatchObject({ active: true });
});
