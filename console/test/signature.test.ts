import { Webhook } from 'standardwebhooks';
import {
  asymmetricIn,
  isSignedBy,
  isSignedByKey,
  secretFault,
  sign,
  signedText,
} from '../src/pages/deliveries/signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const id = 'evt_1';
const at = new Date('2026-11-23T12:00:00.900Z');

test.each(['{"test": 2432232314}', '{"name":"Añá 😀 \u202E"}', ''])(
  'the signature of %j matches the Standard Webhooks library',
  async (body) => {
    const { standard } = await sign(secret, { id, timestamp: '1795435200', body });
    expect(standard).toBe(new Webhook(secret).sign(id, at, body));
  },
);

test('the signature of the body matches docs/webhooks.md', async () => {
  const { ofBody } = await sign(secret, { id, timestamp: '1', body: '{"test": 2432232314}' });
  expect(ofBody).toBe('sha256=80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c');
});

test('the signed text is the ID, timestamp and body, separated by dots', () => {
  expect(signedText({ id, timestamp: '17', body: '{}' })).toBe('evt_1.17.{}');
});

test('a header is compared entry by entry, as a rotation has two', async () => {
  const signatures = await sign(secret, { id, timestamp: '17', body: '{}' });
  expect(isSignedBy(` v1,b3RoZXI= ${signatures.standard}\n`, signatures)).toBe(true);
  expect(isSignedBy(signatures.ofBody, signatures)).toBe(true);
  expect(isSignedBy(signatures.standard.slice(0, -1), signatures)).toBe(false);
  expect(isSignedBy('', signatures)).toBe(false);
});

test.each([
  ['', false],
  ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', false],
  ['whsec_', false],
  ['whsec_MfKQ9r8', false],
  ['whsec_not base64!', false],
  [secret, true],
])('the form of the secret %j is right: %s', (text, isRight) => {
  expect(secretFault(text) === null).toBe(isRight);
});

// Made by another implementation; test/unit/crypto/signature-cases.json has them, too.
const x = 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg';
const otherX = '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw';
const asymmetric =
  'v1a,+gOgqjNnAB78EqhWy6Vcfg1M8INHI9Kx8ZlSstBYq3CSmToCxVSsDdyxRePCsp+1m67rr1kgI10A49p6d1a6Dw==';
const asymmetricMessage = {
  id: 'evt_1',
  timestamp: '1767268800',
  webhookUid: 'whk_01sample000000000000000000',
  body: '{"eventId":"evt_1","event":"agent.updated","timestamp":"2026-01-01T12:00:00.000Z","appUid":"app_1","version":1,"data":{"uid":"agt_1","externalTenantId":"tenant-1","agentName":"Ada"},"sequence":7}',
};

test('a signature v1a is checked with the public key, timestamp, webhook and body', async () => {
  const entries = asymmetricIn(` v1,b3RoZXI= ${asymmetric}\n`);
  const isSigned = (fields: Partial<typeof asymmetricMessage>) =>
    isSignedByKey(x, { ...asymmetricMessage, ...fields }, entries);
  expect(await isSigned({})).toBe(true);
  expect(await isSigned({ body: `${asymmetricMessage.body} ` })).toBe(false);
  expect(await isSigned({ timestamp: '1' })).toBe(false);
  expect(await isSigned({ webhookUid: 'whk_2' })).toBe(false);
  expect(await isSignedByKey(otherX, asymmetricMessage, entries)).toBe(false);
  expect(await isSignedByKey(x, asymmetricMessage, [])).toBe(false);
});

test('an entry that is no v1a signature of 64 bytes is left out', () => {
  expect(asymmetricIn('v1,b3RoZXI= v1a,b3RoZXI= v1a, V1A,AA== x')).toEqual([]);
});
