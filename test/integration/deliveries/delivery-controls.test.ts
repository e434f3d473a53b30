// A webhook's own headers, credentials and client certificate, set through the API and sent with attempts.
import type { TLSSocket } from 'node:tls';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { deliveryLog } from '../../../lib/platform/logger.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import type { Answer } from '../../support/api-client.ts';
import { type Authority, type ClientPair, makeAuthority } from '../../support/certificates.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { newDelivery, newEvent } from '../../support/fixtures.ts';
import {
  type KeyPair,
  makeKeyPair,
  type Receiver,
  startTlsReceiver,
} from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, faultsOf } from '../api/problems.ts';

let service: TestService;
let authority: Authority;
let one: ClientPair;
let other: ClientPair;
let pair: KeyPair;
let receiver: Receiver;
let sender: Sender;
const names: string[] = [];
let registered = 0;

beforeAll(async () => {
  pair = makeKeyPair();
  authority = makeAuthority('Clients');
  one = authority.issue('one');
  other = authority.issue('other', { days: 29 });
  service = await startService({ worker: false });
  const wanting = { ...pair, requestCert: true, ca: authority.certificate };
  receiver = await startTlsReceiver(wanting, (response, { headers }) => {
    names.push(String((response.socket as TLSSocket).getPeerCertificate().subject?.CN));
    const [, credentials = ''] = headers.authorization?.split(' ') ?? [];
    const decoded = Buffer.from(credentials, 'base64').toString('utf8');
    response.end(JSON.stringify({ headers, credentials, decoded }));
  });
  sender = createHttpSender({ policy: service.config.egress, ca: pair.cert });
});

afterAll(async () => {
  await sender?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  authority?.[Symbol.dispose]();
});

async function register(fields: Record<string, unknown>): Promise<Answer> {
  // Two webhooks with the same URL would cause a warning.
  registered += 1;
  const body = { url: `${receiver.url}/hook/${registered}`, entities: ['agent'], ...fields };
  return service.call('POST', '/webhooks', { body });
}

async function change(uid: unknown, body: Record<string, unknown>): Promise<Answer> {
  return service.call('PATCH', `/webhooks/${String(uid)}`, { body });
}

interface Given {
  fields?: Partial<EventDocument>;
  /** Earlier attempts. */
  before?: Partial<DeliveryDocument>;
}

/** Sends an event to a webhook. Returns the state of the delivery, and the request that arrived. */
async function attempt(uid: unknown, now?: Date, { fields = {}, before }: Given = {}) {
  const webhookUid = String(uid);
  const event = { ...newEvent(service, [webhookUid], new Date()), ...fields };
  await service.store.events.insertOne(event);
  if (before) {
    const known = { eventId: event._id, webhookUid, state: 'retrying', ...before } as const;
    await service.store.deliveries.insertOne(newDelivery(service, new Date(0), known));
  }
  const key = { appUid: service.app.appUid, eventId: event._id, webhookUid };
  const { signal } = new AbortController();
  const clock = now === undefined ? systemClock : { now: () => now };
  const ports = deliveryPorts(service, { sender, clock });
  const { state } = await attemptDelivery(ports, key, { caller: { kind: 'event' }, signal });
  const arrived = receiver.requests.find(({ headers }) => headers['webhook-id'] === event._id);
  const stored = await service.store.deliveries.findOne({ eventId: event._id });
  const sample = stored?.attempts[0]?.responseSample ?? '';
  return { state, headers: arrived?.headers ?? {}, sample, event };
}

test('headers, auth and tls are sent with an attempt, and a change applies from the next attempt on', async () => {
  const auth = { type: 'bearer', token: 'token-1' };
  const { body } = await register({ headers: { 'X-Tenant': 'a b' }, auth, tls: one });
  const { uid } = body;
  expect(await attempt(uid)).toMatchObject({
    state: 'delivered',
    headers: { 'x-tenant': 'a b', authorization: 'Bearer token-1', 'x-webhook-attempt': '1' },
  });
  const changed = await change(uid, {
    headers: { 'x-other': '1' },
    auth: { type: 'basic', username: 'ü', password: 'p:w' },
    tls: other,
  });
  expect(changed.status).toBe(200);
  const { headers } = await attempt(uid);
  const basic = Buffer.from('ü:p:w').toString('base64');
  expect(headers).toMatchObject({ 'x-other': '1', authorization: `Basic ${basic}` });
  expect(headers).not.toHaveProperty('x-tenant');
  expect(names).toEqual(['one', 'other']);
  await change(uid, { headers: null, auth: null });
  const bare = (await attempt(uid)).headers;
  expect(Object.keys(bare)).not.toEqual(expect.arrayContaining(['x-other']));
  expect(bare).not.toHaveProperty('authorization');
  await change(uid, { tls: null });
  expect(await attempt(uid)).toMatchObject({ state: 'later', headers: {} });
});

const waits = ['1s', '2s'];

test.each([
  ['the default schedule', { of: { retrySchedule: null } }, '11'],
  ['a schedule of its own', {}, '2'],
  ['its last attempt', { before: { attemptCount: 2 } }, '0'],
  ['a schedule that is shorter now', { before: { attemptCount: 5 } }, '0'],
  ['a resend', { before: { attemptCount: 5, scheduleFrom: 5 } }, '2'],
  ['a test', { fields: { event: 'webhook.test' } }, '0'],
] as [string, Given & { of?: object }, string][])(
  'with %s an attempt says how many are left',
  async (_, given, left) => {
    const { uid } = (await register({ tls: one, retrySchedule: waits, ...given.of })).body;
    const { headers } = await attempt(uid, undefined, given);
    expect(headers['x-webhook-attempts-left']).toBe(left);
  },
);

test('with cloudEvents the headers of CloudEvents describe the event, next to own extensions', async () => {
  const headers = { 'ce-subject': 'own' };
  const { uid } = (await register({ tls: one, cloudEvents: true, headers })).body;
  const sent = await attempt(uid);
  const { _id, appUid, createdAt } = sent.event;
  const expected = {
    'ce-specversion': '1.0',
    'ce-id': _id,
    'ce-source': `/api/v1/appuid/${appUid}`,
    'ce-type': 'agent.updated',
    'ce-time': createdAt.toISOString(),
    'ce-subject': 'own',
    'content-type': 'application/json',
  };
  expect(sent.headers).toMatchObject(expected);
  expect(JSON.parse(sent.event.body)).toMatchObject({ timestamp: expected['ce-time'] });
  // A test has the type of its sample.
  const test = await attempt(uid, undefined, { fields: { event: 'webhook.test' } });
  expect(test.headers).toMatchObject({ 'ce-type': 'agent.updated', 'x-webhook-test': 'true' });
  await change(uid, { cloudEvents: false });
  expect((await attempt(uid)).headers).not.toHaveProperty('ce-id');
});

test('values are never shown, only the names of headers, the type of auth and facts about the certificate', async () => {
  const given = {
    headers: { 'X-Tenant': 'value-of-header' },
    auth: { type: 'basic', username: 'user-of-auth', password: 'password-of-auth' },
    tls: one,
  };
  const { body, text } = await register(given);
  const shown = {
    headers: ['X-Tenant'],
    auth: { type: 'basic' },
    tls: {
      subject: 'O=Herald, CN=one',
      issuer: 'CN=Clients',
      fingerprint256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      notAfter: expect.stringMatching(/^\d{4}-.*Z$/),
    },
    warnings: [],
  };
  expect(body).toMatchObject(shown);
  const got = await service.call('GET', `/webhooks/${String(body['uid'])}`);
  expect(got.body).toMatchObject(shown);
  const stored = await service.store.webhooks.findOne({ _id: String(body['uid']) });
  const rows = await service.store.auditLog.find({ 'target.uid': String(body['uid']) }).toArray();
  expect(rows[0]?.details).toMatchObject({
    headerNames: ['X-Tenant'],
    authType: 'basic',
    tlsFingerprint256: stored?.tls?.fingerprint256,
  });
  const keyText = one.key.split('\n')[1] ?? '';
  for (const place of [text, got.text, JSON.stringify(stored), JSON.stringify(rows)]) {
    expect(place).not.toMatch(/value-of|user-of|password-of|BEGIN/);
    expect(place).not.toContain(keyText);
  }
});

test('the sample of a response that repeats headers and credentials contains none of their values', async () => {
  const bearer = { type: 'bearer', token: 'token/of-auth' };
  const given = { headers: { 'X-Tenant': 'value "of" header' }, auth: bearer, tls: one };
  const { uid } = (await register(given)).body;
  const first = (await attempt(uid)).sample;
  expect(first).toContain('"x-tenant":"…"');
  expect(first).toContain('"authorization":"Bearer …"');
  expect(first).not.toContain('of-auth');
  await change(uid, {
    auth: { type: 'basic', username: 'user-ü-of-auth', password: 'pass-of-auth' },
  });
  const second = (await attempt(uid)).sample;
  expect(second).toContain('"x-tenant":"…","authorization":"Basic …"');
  expect(second).toContain('"credentials":"…","decoded":"…"');
  expect(second).not.toContain('of-auth');
});

test('a certificate that expires within 30 days causes a warning', async () => {
  const { body } = await register({ tls: other });
  const { notAfter } = body['tls'] as unknown as { notAfter: string };
  expect(body['warnings']).toEqual([
    {
      code: 'certificate_expires',
      detail: `the client certificate expires at ${notAfter}; set a new one in tls`,
    },
  ]);
  const past = { 'tls.notAfter': new Date(Date.now() - 1) };
  await service.store.webhooks.updateOne({ _id: String(body['uid']) }, { $set: past });
  const got = await service.call('GET', `/webhooks/${String(body['uid'])}`);
  expect(got.body['warnings']).toMatchObject([{ code: 'certificate_expired' }]);
});

test('from 14 days before its expiry a certificate is logged, once a day', async () => {
  using logged = jest.spyOn(deliveryLog, 'warn');
  const { uid } = (await register({ tls: one })).body;
  const now = new Date();
  const endsIn = (ms: number) =>
    service.store.webhooks.updateOne(
      { _id: String(uid) },
      { $set: { 'tls.notAfter': new Date(now.getTime() + ms) } },
    );
  const dayMs = 86_400_000;
  await endsIn(14 * dayMs + 1);
  await attempt(uid, now);
  expect(logged).not.toHaveBeenCalled();
  await endsIn(14 * dayMs);
  await attempt(uid, now);
  await attempt(uid, new Date(now.getTime() + dayMs - 1));
  expect(logged).toHaveBeenCalledTimes(1);
  const subject = expect.objectContaining({ webhookUid: uid });
  expect(logged).toHaveBeenCalledWith(subject, 'webhook.certificate_expires');
  await attempt(uid, new Date(now.getTime() + dayMs));
  expect(logged).toHaveBeenCalledTimes(2);
});

test('credentials cannot be unsealed for another webhook or field', async () => {
  const [victim, thief] = await Promise.all([
    register({ headers: { 'x-a': 'v' }, auth: { type: 'bearer', token: 't' }, tls: one }),
    register({ tls: one }),
  ]);
  const stored = await service.store.webhooks.findOne({ _id: String(victim.body['uid']) });
  const moved = [{ headers: stored?.headers }, { auth: stored?.auth }, { tls: stored?.tls }];
  const own = await service.store.webhooks.findOne({ _id: String(thief.body['uid']) });
  // Not even with the thief's own signing secret.
  moved.push({ auth: { type: 'bearer', secret: own?.secret } as never });
  for (const fields of moved) {
    const _id = String(thief.body['uid']);
    await service.store.webhooks.updateOne({ _id }, { $set: fields as object });
    await expect(attempt(_id)).rejects.toThrow('unable to authenticate');
    await service.store.webhooks.updateOne({ _id }, { $set: { headers: null, auth: null } });
  }
});

test('a webhook takes its headers and auth to another URL only if they are set again', async () => {
  const auth = { type: 'bearer', token: 't' };
  const { body } = await register({ headers: { 'x-a': 'v' }, auth, tls: one });
  const { uid } = body;
  const url = 'https://127.0.0.1:1/hook';
  const refused = await change(uid, { url });
  expectProblem(refused, 400, 'invalid_request');
  expect(faultsOf(refused)).toEqual(['#/headers other_url', '#/auth other_url']);
  expect(faultsOf(await change(uid, { url, headers: null }))).toEqual(['#/auth other_url']);
  // On a shared host the path decides who gets the request.
  expect((await change(uid, { url: `${receiver.url}/other` })).status).toBe(400);
  const same = String(body['url']).replace('https://', 'HTTPS://');
  expect((await change(uid, { url: same })).status).toBe(200);
  expect((await change(uid, { url, headers: { 'x-a': 'w' }, auth: null })).status).toBe(200);
  const http = await change(uid, { url: 'http://127.0.0.1:1/', headers: null });
  expect(faultsOf(http)).toEqual(['#/tls needs_https']);
  const late = await register({ url: 'http://127.0.0.1:1/', tls: one });
  expect(faultsOf(late)).toEqual(['#/tls needs_https']);
});

const bearer = (token: string, more: object = {}) => ({ auth: { type: 'bearer', token, ...more } });
const basic = (username: string, password = 'p', more: object = {}) => ({
  auth: { type: 'basic', username, password, ...more },
});
const headers = (count: number) => ({
  headers: Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'v'])),
});

test.each([
  ['20 headers', headers(20)],
  ['a token with all visible characters', bearer('!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~')],
  ['an empty password', basic('u', '')],
])('%s is accepted', async (_what, fields) => {
  expect((await register(fields)).status).toBe(201);
});

test.each([
  ['no header', headers(0), ['#/headers minProperties']],
  ['21 headers', headers(21), ['#/headers maxProperties']],
  [
    'bad headers',
    { headers: { Host: 'h', 'x-a': ' v', 'X y': 'v' } },
    ['#/headers/Host reserved', '#/headers/x-a header_value', '#/headers/X y header_name'],
  ],
  ['the shown auth', { auth: { type: 'bearer' } }, ['#/auth/token required']],
  ['a token of two words', bearer('t t'), ['#/auth/token format']],
  ['a token with a line break', bearer('t\nX: y'), ['#/auth/token format']],
  ['a token with ü', bearer('ü'), ['#/auth/token format']],
  ['a token with a user', bearer('t', { username: 'u' }), ['#/auth/username not_of_type']],
  ['a user with a token', basic('u', 'p', { token: 't' }), ['#/auth/token not_of_type']],
  ['a user with a colon', basic('u:v'), ['#/auth/username colon']],
  ['a password of two lines', basic('u', 'p\np'), ['#/auth/password format']],
  ['tls that is no PEM', { tls: { certificate: 'x', key: 'y' } }, ['#/tls/certificate pem']],
])('%s gets 400 and points to it', async (_what, fields, faults) => {
  const refused = await register(fields);
  expectProblem(refused, 400, 'invalid_request');
  expect(faultsOf(refused)).toEqual(faults);
});
