// The receiver decides each case like all receivers, and agrees with the library of Standard Webhooks. Options and inputs
// that no other language has are at the end.
import { runInNewContext } from 'node:vm';
import { Webhook } from 'standardwebhooks';
import type {
  KeyRevocationData as KeyOfService,
  RevocationData as OfService,
  Serialized,
  TokenRevocationData as TokenOfService,
} from '../../../../lib/model/event-payload.ts';
import type {
  AgentData as AgentOfService,
  ContextFileData as ContextFileOfService,
} from '../../../../lib/model/resource-data.ts';
import type { WebhookNotice } from '../../../../lib/webhooks/notices.ts';
import { signerOf } from '../../../../packages/receiver-ts/src/hmac.ts';
import {
  type AgentData,
  type ContextFileData,
  isKnownEvent,
  type KeyRevocationData,
  MemoryDeliveryStore,
  MemorySequenceStore,
  Receiver,
  resourceOf,
  type RevocationData,
  type SignedRequest,
  type TokenRevocationData,
  Verifier,
  type WebhookEvent,
  type WebhookNoticeData,
  WebhookRefused,
} from '../../../../packages/receiver-ts/src/index.ts';
import {
  bodyOf,
  caseNamed,
  challengeCases,
  optionsCases,
  type ReceiverCase,
  receiverCases,
} from '../../../support/receiver-cases.ts';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';
import { fakeOnly } from '../../../support/fake-only.ts';

const { deliveries, standardWebhooks, xWebhookSignature } = receiverCases;

function verifierOf(each: ReceiverCase): Verifier {
  const { secrets, publicKeys, webhookUid, scheme, toleranceSeconds, nowSeconds } = each;
  const keys = { secrets, publicKeys, webhookUid };
  return new Verifier({ ...keys, scheme, toleranceSeconds, now: () => nowSeconds * 1_000 + 999 });
}

async function verdictOf(verifier: Verifier, { headers, body }: { headers: object; body: Buffer }) {
  try {
    const delivery = await verifier.verify({ headers: headers as Record<string, string>, body });
    const { event, isTest, ...counts } = delivery;
    const { eventId, event: name } = event;
    return { ok: true, eventId, event: name, ...counts, test: isTest };
  } catch (error) {
    if (error instanceof WebhookRefused) return { ok: false, code: error.code };
    throw error;
  }
}

test.each(challengeCases)(
  'a challenge is answered unverified: $name',
  async ({ body, challenge }) => {
    const heard = jest.fn();
    const receiver = new Receiver({ secrets: receiverSecret, onEvent: heard, onError: heard });
    const request = { method: 'POST', headers: {}, readBody: () => Buffer.from(body) };
    const isAnswered = challenge !== null;
    const content = isAnswered ? { challenge } : { code: 'missing_header' };
    expect(await receiver.receive(request)).toEqual({
      status: isAnswered ? 200 : 401,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(content),
    });
    expect(heard).toHaveBeenCalledTimes(isAnswered ? 0 : 1);
  },
);

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

const vectors = [
  ...standardWebhooks.map(({ secret, id, timestamp, body, signature }) => {
    const signed = { 'webhook-signature': signature, 'webhook-timestamp': String(timestamp) };
    return {
      secret,
      body,
      timestamp,
      scheme: 'standard' as const,
      headers: { 'webhook-id': id, ...signed },
    };
  }),
  ...xWebhookSignature.map(({ secret, body, header }) => {
    const headers = { 'X-Webhook-Signature': header };
    return { secret, body, timestamp: 0, scheme: 'body-only' as const, headers };
  }),
];

test.each(vectors)('a public vector of the scheme $scheme: $body', async (vector) => {
  const { secret, body, timestamp, scheme, headers } = vector;
  const verifier = new Verifier({ secrets: secret, scheme, now: () => timestamp * 1_000 });
  const refused = { ok: false, code: 'invalid_body' };
  expect(await verdictOf(verifier, { headers, body: Buffer.from(body) })).toEqual(refused);
  const changed = { ok: false, code: 'signature_mismatch' };
  expect(await verdictOf(verifier, { headers, body: Buffer.from(`${body} `) })).toEqual(changed);
});

describe('compared with the library of Standard Webhooks', () => {
  beforeEach(() => fakeOnly('Date'));
  afterEach(() => void jest.useRealTimers());

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
    jest.setSystemTime(each.nowSeconds * 1_000);
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

const eventOf = (fields: { event?: string; version?: number } = {}): WebhookEvent => {
  const data = { uid: '1', externalTenantId: 'tenant-1' };
  const common = { eventId: 'evt_1', timestamp: '2026-01-01T12:00:00.000Z', appUid: 'app_1' };
  const event = { ...common, event: 'agent.updated', version: 1, data, ...fields };
  return event as unknown as WebhookEvent;
};

type Takes<Ours, Theirs extends Ours> = Theirs;

// The compiler checks that the types take what the service sends.
export type Taken = [
  Takes<AgentData, Serialized<AgentOfService>>,
  Takes<ContextFileData, Serialized<ContextFileOfService>>,
  Takes<WebhookNoticeData, Serialized<WebhookNotice>>,
  Takes<RevocationData, Serialized<OfService>>,
  Takes<TokenRevocationData, Serialized<TokenOfService>>,
  Takes<KeyRevocationData, Serialized<KeyOfService>>,
];

test('a newer event or version is not known', () => {
  expect(isKnownEvent(eventOf())).toBe(true);
  expect(isKnownEvent(eventOf({ event: 'agent.archived' }))).toBe(false);
  expect(isKnownEvent(eventOf({ version: 2 }))).toBe(false);
});

test('every event of the service is known', () => {
  const samples = receiverCases.deliveries.filter(({ name }) => name.startsWith('the sample of'));
  expect(samples).toHaveLength(21);
  for (const { bodyBase64 = '' } of samples) {
    const sample = JSON.parse(Buffer.from(bodyBase64, 'base64').toString()) as WebhookEvent;
    expect(isKnownEvent(sample)).toBe(true);
  }
});

test('a resource is its kind together with its uid', () => {
  expect(resourceOf(eventOf())).toBe('agent/1');
  expect(resourceOf(eventOf({ event: 'context.deleted' }))).toBe('context/1');
});

const OtherUint8Array = runInNewContext('Uint8Array') as Uint8ArrayConstructor;

/** Returns the ID of the event, or the code of the refusal. */
async function idOrCode(request: SignedRequest, now = Date.now): Promise<unknown> {
  const verifier = new Verifier({ secrets: receiverSecret, now });
  return verifier.verify(request).then(
    ({ event }) => event.eventId,
    ({ code }: { code: unknown }) => code,
  );
}

test('bytes of another realm are bytes', async () => {
  const { headers, body } = signedDelivery();
  const bytes = new OtherUint8Array(Buffer.from(body));
  expect(bytes).not.toBeInstanceOf(Uint8Array);
  expect(await idOrCode({ headers, body: bytes })).toBe('evt_1');
});

test.each([{}, new DataView(new ArrayBuffer(8)), null])('%s is no body', async (body) => {
  const { headers } = signedDelivery();
  const verifying = new Verifier({ secrets: receiverSecret }).verify({
    headers,
    body: body as string,
  });
  await expect(verifying).rejects.toThrow(/^body is not the bytes that arrived/);
});

test('values of headers may be lists and numbers', async () => {
  const { headers, body } = signedDelivery();
  const listed = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, [text]]));
  expect(await idOrCode({ headers: listed, body })).toBe('evt_1');
  const odd = { ...headers, 'Content-Length': 7, 'Webhook-Timestamp': null };
  expect(await idOrCode({ headers: odd as unknown as typeof headers, body: `${body} ` })).toBe(
    'body_already_read',
  );
});

test.each([() => Number.NaN, () => undefined as unknown as number])(
  'a clock without a time accepts nothing',
  async (now) => {
    expect(await idOrCode(signedDelivery(), now)).toBe('timestamp_too_old');
  },
);

const onEvent = () => undefined;

/** Creates a receiver and the stores that take a `countMax`. */
function make(options: Readonly<Record<string, unknown>>): Receiver {
  const { countMax, ...rest } = options;
  const stores =
    countMax === undefined
      ? {}
      : {
          deliveries: new MemoryDeliveryStore({ countMax: countMax as number }),
          sequences: new MemorySequenceStore({ countMax: countMax as number }),
        };
  const isKeyed = 'publicKeys' in options || 'keySetUrl' in options;
  const keys = isKeyed ? { webhookUid: 'whk_1' } : { secrets: receiverSecret };
  return new Receiver({ ...keys, onEvent, ...stores, ...rest });
}

function refusalOf(options: Readonly<Record<string, unknown>>): unknown {
  try {
    make(options);
    return null;
  } catch (error) {
    return error;
  }
}

test.each(optionsCases)('$name', ({ options, refused }) => {
  const expected = refused && new TypeError(`${refused.option} ${refused.rule}`);
  expect(refusalOf(options)).toEqual(expected);
});

test('a single secret needs no list, and is named like the first of one', () => {
  expect(refusalOf({ secrets: receiverSecret })).toBeNull();
  const error = refusalOf({ secrets: `${receiverSecret}\n`, scheme: 'body-only' });
  expect(String(error)).toContain('secrets[0] must be printable ASCII');
});

test('an error about a secret does not show it', () => {
  for (const { options, refused } of optionsCases.filter(({ options }) => 'secrets' in options))
    if (refused !== null) expect(String(refusalOf(options))).not.toContain('MfKQ9r8G');
});

test.each([
  ['onEvent', undefined],
  ['onTest', {}],
  ['onError', console],
  ['now', 1_700_000_000],
])('%s: %j is not a function', (name, value) => {
  expect(refusalOf({ [name]: value })).toEqual(new TypeError(`${name} must be a function`));
});

test.each([
  ['deliveries', { claim: onEvent, complete: onEvent }, 'claim and complete and release'],
  ['deliveries', 'redis://127.0.0.1', 'claim and complete and release'],
  ['sequences', new MemoryDeliveryStore(), 'newest and advance'],
  ['sequences', null, 'newest and advance'],
])('%s: a store without its methods is rejected: %j', (name, store, methods) => {
  const error = new TypeError(`${name} must have the methods ${methods}`);
  expect(refusalOf({ [name]: store })).toEqual(error);
});

test.each([
  [{ keepMs: 0 }, 'keepMs must be a whole number from 1 on'],
  [{ claimMs: Number.NaN }, 'claimMs must be a whole number from 1 on'],
  [{ now: 5 as unknown as () => number }, 'now must be a function'],
])('a memory store rejects %j', (options, message) => {
  expect(() => new MemoryDeliveryStore(options)).toThrow(new TypeError(message));
});
