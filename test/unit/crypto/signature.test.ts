// The signatures of a delivery, checked with published vectors and an independent library.
import { createPrivateKey } from 'node:crypto';
import { assert, json, property } from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  newWebhookSecret,
  signBody,
  signStandardMessage,
  signWithKey,
} from '../../../lib/webhooks/signature.ts';
import { receiverCases } from '../../support/receiver-cases.ts';

test.each(receiverCases.standardWebhooks)(
  'the Standard Webhooks vector $id has its signature',
  ({ secret, id, timestamp, body, signature }) => {
    const message = { id, timestampSeconds: timestamp, body };
    expect(signStandardMessage(secret, message)).toBe(signature);
    // The prefix only marks the secret; the key is what follows it.
    expect(signStandardMessage(secret.replace('whsec_', ''), message)).toBe(signature);
    expect(signStandardMessage(secret, { ...message, timestampSeconds: timestamp + 1 })).not.toBe(
      signature,
    );
  },
);

// The header of a private key in PKCS #8 (RFC 8410), before its 32 bytes.
const pkcs8Header = '302e020100300506032b657004220420';

test.each(receiverCases.v1a)(
  'an Ed25519 signature is the one that another implementation makes',
  ({ seedHex, id, timestamp, webhookUid, body, signature }) => {
    const der = Buffer.from(pkcs8Header + seedHex, 'hex');
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const message = { id, timestampSeconds: timestamp, webhookUid, body };
    expect(signWithKey(key, message)).toBe(signature);
  },
);

test.each(receiverCases.xWebhookSignature)(
  'the body $body signed with $secret has its header',
  ({ secret, body, header }) => {
    expect(signBody(secret, body)).toBe(header);
    expect(signBody(secret, `${body} `)).not.toBe(header);
    expect(signBody(`${secret} `, body)).not.toBe(header);
  },
);

test('a secret is whsec_ and the base64 of 32 random bytes', () => {
  const secrets = Array.from({ length: 100 }, newWebhookSecret);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(new Set(secrets).size).toBe(100);
});

test('an independent library verifies any body, and refuses it with another secret', () => {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  assert(
    property(json(), (body) => {
      const [secret, other] = [newWebhookSecret(), newWebhookSecret()];
      const signature = signStandardMessage(secret, { id: 'evt_1', timestampSeconds, body });
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(timestampSeconds),
        'webhook-signature': signature,
      };
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => new Webhook(other).verify(body, headers)).toThrow();
    }),
    { numRuns: 100 },
  );
});
