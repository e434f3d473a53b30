// `agent-herald verify --public-keys` checks signatures v1a, which were made for one webhook.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';
import { runVerify } from './run-verify.ts';

// Made by another implementation.
type Vector = Record<'publicKey' | 'id' | 'webhookUid' | 'body' | 'signature', string> & {
  timestamp: number;
};
const { v1a } = JSON.parse(readFileSync('test/unit/crypto/signature-cases.json', 'utf8')) as {
  v1a: [Vector, Vector];
};
const [vector, otherVector] = v1a;
const vectorBody = Buffer.from(vector.body);
const vectorHeaders: Record<string, string> = {
  'X-Webhook-Uid': vector.webhookUid,
  'webhook-id': vector.id,
  'webhook-timestamp': String(vector.timestamp),
  'webhook-signature': vector.signature,
};
const right = {
  headers: vectorHeaders,
  body: vectorBody,
  keys: [vector.publicKey],
  webhook: vector.webhookUid,
};
type Saved = Partial<typeof right>;

function verify(saved: Saved) {
  const { headers, body, keys, webhook } = { ...right, ...saved };
  return runVerify({ headers, body, args: ['--public-keys', ...keys, '--webhook', webhook] });
}

test('public keys check v1a alone', async () => {
  const keys = [otherVector.publicKey, vector.publicKey];
  const { checks, failure } = await verify({ keys });
  expect(failure).toBeNull();
  expect(checks.map(({ check, result }) => [check, result])).toEqual([
    ['webhook-signature v1a', 'right'],
    ['webhook-timestamp', 'not checked'],
  ]);
});

test.each<[string, Saved, string]>([
  [
    'a changed body',
    { body: Buffer.from(`${vector.body}\n`) },
    'a line break was added at the end',
  ],
  ['another key', { keys: [otherVector.publicKey] }, 'a key of another application'],
  [
    'a request for another webhook',
    { webhook: otherVector.webhookUid },
    `it was made for another webhook, ${vector.webhookUid}`,
  ],
  [
    'a forged X-Webhook-Uid',
    {
      headers: { ...vectorHeaders, 'X-Webhook-Uid': otherVector.webhookUid },
      webhook: otherVector.webhookUid,
    },
    'another webhook, or a changed body',
  ],
  ['no v1a', { headers: signedDelivery().headers }, 'does not have the signature v1a'],
])('v1a is wrong with %s, and the reason is reported', async (_, saved, why) => {
  const { checks, failure } = await verify(saved);
  expect(failure).toBe('wrong: webhook-signature v1a');
  expect(checks[0]?.why).toContain(why);
});

test('a secret beside v1a alone leads to the public keys', async () => {
  const args = ['--secret', receiverSecret];
  const { checks } = await runVerify({ headers: vectorHeaders, body: vectorBody, args });
  expect(checks[0]?.why).toContain('check v1a with --public-keys');
});

test.each([[[]], [['--webhook', 'agt_1']]])(
  'public keys with the arguments %j need the uid of the webhook',
  async (args) => {
    const keys = ['--public-keys', vector.publicKey, ...args];
    const { failure } = await runVerify({ headers: vectorHeaders, body: vectorBody, args: keys });
    expect(failure).toBe('--webhook must be the uid of the webhook (whk_…) with --public-keys');
  },
);
