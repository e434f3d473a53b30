// Proof of control: while an application asks for it, a receiver answers a challenge before its webhook becomes active.
import type { ServerResponse } from 'node:http';
import { sendsAnew } from '../../../api/webhooks/challenge-receiver.ts';
import { signBody } from '../../../lib/webhooks/signature.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import type { Answer } from '../../support/api-client.ts';
import {
  type Answering,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
} from '../../support/receivers.ts';
import { useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectProblem } from './problems.ts';

let client: TestApp;
let receiver: Receiver;
let answer: Answering;

const service = useService({ worker: false });

const challengeOf = ({ body }: ReceivedRequest): string =>
  (JSON.parse(body.toString()) as { challenge: string }).challenge;
const proof: Answering = (response, request) => {
  const challenge = challengeOf(request);
  response.end(JSON.stringify({ challenge }, null, 2));
};

async function addChallengingApp(): Promise<TestApp> {
  const app = await addApp(service);
  await service.store.apps.updateOne({ _id: app.appUid }, { $set: { webhookChallenge: true } });
  return app;
}

beforeEach(async () => {
  client = await addChallengingApp();
  receiver = await startReceiver((response, request) => answer(response, request));
  answer = proof;
});

afterEach(() => receiver[Symbol.asyncDispose]());

const create = (fields: object = {}, headers = {}): Promise<Answer> =>
  client.call('POST', '/webhooks', {
    body: { url: receiver.url, entities: ['agent'], ...fields },
    headers: { 'x-api-key': client.apiKey, ...headers },
  });
const change = (uid: unknown, body: object): Promise<Answer> =>
  client.call('PATCH', `/webhooks/${String(uid)}`, { body });

test('creating, resuming and moving a webhook each send a signed challenge with its credentials', async () => {
  const auth = { type: 'bearer', token: 'a-token-of-the-receiver' };
  const { uid, secret } = (await create({ auth, signatures: ['v1', 'v1a'] })).body;
  expect((await change(uid, { active: false, auth, url: `${receiver.url}/paused` })).status).toBe(
    200,
  );
  expect((await change(uid, { active: true })).body['active']).toBe(true);
  const moved = await change(uid, { auth, url: `${receiver.url}/moved` });
  expect(moved.body['url']).toBe(`${receiver.url}/moved`);
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/', '/paused', '/moved']);
  for (const { headers, body } of receiver.requests) {
    expect(JSON.parse(body.toString())).toEqual({
      event: 'webhook.challenge',
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
      timestamp: headers['x-webhook-timestamp'],
    });
    expect(headers).toMatchObject({
      authorization: `Bearer ${auth.token}`,
      'x-webhook-uid': uid,
      'x-webhook-signature': signBody(String(secret), body.toString()),
      'webhook-signature': expect.stringMatching(/^v1,\S+ v1a,\S+$/),
    });
  }
  expect(new Set(receiver.requests.map(challengeOf)).size).toBe(3);
});

test('nothing else sends a challenge, and neither does a repeat of a creation', async () => {
  const { uid } = (await create({ active: false })).body;
  await change(uid, { url: `${receiver.url}/paused`, name: 'Paused' });
  expectProblem(
    await change(uid, { active: true, events: ['context.created'] }),
    400,
    'invalid_request',
  );
  expect(receiver.requests).toHaveLength(0);
  const key = { 'idempotency-key': 'once' };
  const first = await create({}, key);
  expect((await create({}, key)).body).toEqual(first.body);
  await change(first.body['uid'], { active: true, url: receiver.url, name: 'Same' });
  await change(first.body['uid'], { active: false });
  expect(receiver.requests).toHaveLength(1);
  await service.store.apps.updateOne({ _id: client.appUid }, { $set: { webhookChallenge: false } });
  expect((await change(uid, { active: true })).status).toBe(200);
  expect(receiver.requests).toHaveLength(1);
});

const other = 'x'.repeat(32);

test.each<[string, Answering, string]>([
  ['with 500', (response, request) => proof(response.writeHead(500), request), 'status 500'],
  ['with a redirect', (response) => response.writeHead(307, { location: '/' }).end(), 'status 307'],
  ['without a body', (response) => response.writeHead(204).end(), '204 and another body'],
  ['with another value', (response) => response.end(`{"challenge":"${other}"}`), 'another body'],
  [
    'with its text alone',
    (response, request) => response.end(challengeOf(request)),
    'another body',
  ],
  ['as an echo', (response, { body }) => response.end(body), 'another body'],
  [
    'with too long a body',
    (response, request) =>
      response.end(JSON.stringify({ challenge: challengeOf(request) }).padStart(5_000)),
    'another body',
  ],
  ['not at all', (response) => response.destroy(), 'closed the connection'],
])('a receiver that responds %s fails the challenge, and nothing is stored', async (...row) => {
  const [, fault, detail] = row;
  const { uid } = (await create({ active: false })).body;
  const rows = await service.store.auditLog.countDocuments({ appUid: client.appUid });
  answer = fault;
  for (const refused of [await create(), await change(uid, { active: true, name: 'New' })]) {
    expectProblem(refused, 422, 'challenge_failed');
    expect(refused.body['detail']).toContain(detail);
    expect(refused.body['detail']).toMatch(/; it should respond within 5 s with a 2xx status and /);
  }
  const stored = await service.store.webhooks.find({ appUid: client.appUid }).toArray();
  expect(stored).toEqual([expect.objectContaining({ _id: uid, active: false, name: null })]);
  expect(await service.store.auditLog.countDocuments({ appUid: client.appUid })).toBe(rows);
});

test('a URL that changes during the challenge of another is not resumed unproven', async () => {
  const { uid } = (await create({ active: false })).body;
  answer = (response, request) => {
    const moving = change(uid, { url: `${receiver.url}/unproven` });
    void moving.then(() => proof(response, request));
  };
  expectProblem(await change(uid, { active: true }), 409, 'conflict');
  const { body } = await client.call('GET', `/webhooks/${String(uid)}`);
  expect(body).toMatchObject({ active: false, url: `${receiver.url}/unproven` });
});

test('hanging receivers of one application use its share of challenges, and delay no other', async () => {
  const hanging: (() => void)[] = [];
  answer = (response: ServerResponse, request) => {
    hanging.push(() => proof(response, request));
  };
  const waiting = Array.from({ length: 24 }, () => create());
  await waitFor(() => Promise.resolve(hanging.length === 24), { what: 'all challenges' });
  const further = await create();
  expectProblem(further, 503, 'overloaded');
  expect(further.headers.get('retry-after')).toMatch(/^[2-5]$/);
  answer = proof;
  client = await addChallengingApp();
  expect((await create()).status).toBe(201);
  hanging.forEach((respond) => respond());
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses).toEqual(Array<number>(24).fill(201));
});

const url = 'https://a.example.com/';

test.each([
  [{ url, active: false }, { url, active: true }, true],
  [{ url, active: true }, { url: `${url}b`, active: true }, true],
  [{ url, active: true }, { url, active: true }, false],
  [{ url, active: true }, { url: `${url}b`, active: false }, false],
  [{ url, active: false }, { url: 'mailto:ops@example.com', active: true }, false],
])('from %j to %j, a webhook sends to a new receiver: %s', (before, after, expected) => {
  expect(sendsAnew(before, after)).toBe(expected);
});
