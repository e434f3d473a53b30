// The receiver decides each case like all receivers, and agrees with the library of Standard Webhooks.
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { signerOf } from '../../../../packages/receiver-ts/src/hmac.ts';
import { Verifier, WebhookRefused } from '../../../../packages/receiver-ts/src/index.ts';
import {
  bodyOf,
  caseNamed,
  type ReceiverCase,
  receiverCases,
} from '../../../support/receiver-cases.ts';

const { deliveries, standardWebhooks, xWebhookSignature } = receiverCases;

function verifierOf(each: ReceiverCase): Verifier {
  const { secrets, publicKeys, webhookUid, scheme, toleranceSeconds, nowSeconds } = each;
  const keys = { secrets, publicKeys, webhookUid };
  return new Verifier({ ...keys, scheme, toleranceSeconds, now: () => nowSeconds * 1_000 + 999 });
}

async function verdictOf(verifier: Verifier, { headers, body }: { headers: object; body: Buffer }) {
  try {
    const delivery = await verifier.verify({ headers: headers as Record<string, string>, body });
    const { event, attempt, sequence, isTest } = delivery;
    const { eventId, event: name } = event;
    return { ok: true, eventId, event: name, attempt, sequence, test: isTest };
  } catch (error) {
    if (error instanceof WebhookRefused) return { ok: false, code: error.code };
    throw error;
  }
}

test.each(deliveries)('$scheme: $name', async (each) => {
  const body = bodyOf(each);
  const verdict = await verdictOf(verifierOf(each), { headers: each.headers, body });
  expect(verdict).toEqual(each.expect);
  const { headers } = new Request('http://receiver.test', { headers: asLatin1(each.headers) });
  expect(await verdictOf(verifierOf(each), { headers, body })).toEqual(each.expect);
});

test('a header sent twice is joined by a comma and a space', async () => {
  const each = caseNamed('the sample of agent.created');
  const { 'webhook-signature': right = '' } = each.headers;
  const body = bodyOf(each);
  const verdictWith = (signatures: string[]) =>
    verdictOf(verifierOf(each), {
      headers: { ...each.headers, 'webhook-signature': signatures },
      body,
    });
  expect(await verdictWith(['v1,AAAA', right])).toEqual(each.expect);
  const refused = { ok: false, code: 'signature_mismatch' };
  expect(await verdictWith([right, 'v1,AAAA'])).toEqual(refused);
});

/** In headers of fetch, each character is one byte. */
function asLatin1(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Buffer.from(value, 'utf8').toString('latin1'),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

test.each(deliveries)('WebCrypto signs like Node: $name', async (each) => {
  const body = bodyOf(each);
  const key = Buffer.from(each.secrets?.[0] ?? 'whsec_AAAA');
  const start = `${each.headers['webhook-id']}.`;
  expect(Buffer.from(await signerOf(key, null)(start, body))).toEqual(signerOf(key)(start, body));
});

test.each(standardWebhooks)('a public vector of Standard Webhooks: $id', async (vector) => {
  const { secret, id, timestamp, body, signature } = vector;
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  };
  const verifier = new Verifier({ secrets: secret, now: () => timestamp * 1_000 });
  const refused = { ok: false, code: 'invalid_body' };
  expect(await verdictOf(verifier, { headers, body: Buffer.from(body) })).toEqual(refused);
  const changed = { ok: false, code: 'signature_mismatch' };
  expect(await verdictOf(verifier, { headers, body: Buffer.from(`${body} `) })).toEqual(changed);
});

test.each(xWebhookSignature)('a public vector of X-Webhook-Signature: $header', async (vector) => {
  const { secret, body, header } = vector;
  const headers = { 'X-Webhook-Signature': header };
  const verifier = new Verifier({ secrets: secret, scheme: 'body-only' });
  const refused = { ok: false, code: 'invalid_body' };
  expect(await verdictOf(verifier, { headers, body: Buffer.from(body) })).toEqual(refused);
  const changed = { ok: false, code: 'signature_mismatch' };
  expect(await verdictOf(verifier, { headers, body: Buffer.from(`${body} `) })).toEqual(changed);
});

describe('compared with the library of Standard Webhooks', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  /** The library drops zeros before the time, and everything after a second comma. */
  const onlyTheLibraryAccepts = new Set([
    'the time has zeros before it',
    'signature: with something after a second comma',
    'signature: joined to another by a comma',
  ]);
  const applicable = deliveries.filter(
    ({ scheme, secrets, toleranceSeconds }) =>
      scheme === 'standard' && secrets !== undefined && toleranceSeconds === undefined,
  );

  function libraryAccepts({ secrets = [], headers, ...each }: ReceiverCase): boolean {
    return secrets.some((secret) => {
      try {
        new Webhook(secret).verify(bodyOf({ headers, ...each }), headers, {
          jsonParse: false,
        });
        return true;
      } catch {
        return false;
      }
    });
  }

  test.each(applicable)('$name', (each) => {
    vi.setSystemTime(each.nowSeconds * 1_000);
    const ofBody = ['invalid_body', 'event_id_mismatch'];
    const isSigned = each.expect.ok || ofBody.includes(each.expect.code);
    const isLenient = onlyTheLibraryAccepts.has(each.name);
    const isUtf8 = Buffer.from(bodyOf(each).toString()).equals(bodyOf(each));
    if (isUtf8) expect(libraryAccepts(each)).toBe(isSigned || isLenient);
  });

  test('signatures of the library are accepted', async () => {
    const [each] = deliveries;
    if (each === undefined) throw new Error('there are no cases');
    const [secret = ''] = each.secrets ?? [];
    const { 'webhook-id': id = '' } = each.headers;
    const signed = new Webhook(secret).sign(
      id,
      new Date(each.nowSeconds * 1_000),
      bodyOf(each).toString(),
    );
    const headers = { ...each.headers, 'webhook-signature': signed };
    const verdict = await verdictOf(verifierOf(each), { headers, body: bodyOf(each) });
    expect(verdict).toEqual(each.expect);
  });
});
