// A secret is rotated under load: a receiver that follows each step rejects no request. Receivers of webhooks with `v1a`
// need only the public keys of the application.
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { Verifier } from '../../packages/receiver-ts/src/index.ts';
import type { Answer } from '../support/api-client.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.ts';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { expectProblem } from '../integration/api/problems.ts';

/** The secrets that the receiver currently accepts. */
let known: string[] = [];
let refused = 0;
const arrived = new Set<string>();

function isGenuine({ headers, body }: ReceivedRequest, secret: string): boolean {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  return headers['x-webhook-signature'] === `sha256=${digest}`;
}

function isStandard({ headers, body }: ReceivedRequest, secret: string): boolean {
  try {
    new Webhook(secret).verify(body.toString('utf8'), headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const eventIdOf = ({ headers }: ReceivedRequest): string => String(headers['webhook-id']);

const service = useService();
const receiver = useReceiver((response, request) => {
  arrived.add(eventIdOf(request));
  const genuine = known.some((secret) => isGenuine(request, secret));
  const standard = known.some((secret) => isStandard(request, secret));
  if (!genuine || !standard) refused += 1;
  response.writeHead(genuine && standard ? 200 : 401).end();
});

const newWebhook = () => registerWebhook(service, { url: receiver.url });

async function rotate(uid: string, body: unknown = {}): Promise<Answer> {
  return service.call('POST', `/webhooks/${uid}/secret/rotate`, { body });
}

/** Returns how long a rotation lets the old secret sign as well, in milliseconds. */
function overlapOf({ body }: Answer): number {
  return (
    Date.parse(String(body['previousSecretExpiresAt'])) - Date.parse(String(body['updatedAt']))
  );
}

const promote = (uid: string) => service.call('POST', `/webhooks/${uid}/secret/promote`);

/** The number of callers that report changes concurrently. */
const callersCount = 20;

/** Changes reported during the rotation. Each caller reports its next one when the previous one has arrived. */
interface Load extends AsyncDisposable {
  /** Waits until a change has been reported but has not arrived. */
  untilInFlight(): Promise<void>;
  /** Waits for the next `count` changes and all before them. Returns the requests of the next ones. */
  receiveFromNowOn(count: number): Promise<ReceivedRequest[]>;
}

function startLoad(): Load {
  const reports: Promise<string>[] = [];
  const arrivedBefore = arrived.size;
  const stop = { requested: false };
  const reportOn = async (): Promise<void> => {
    while (!stop.requested) {
      const report = reportChange(service);
      reports.push(report);
      const eventId = await report;
      await waitFor(() => arrived.has(eventId), { what: `the arrival of ${eventId}` });
    }
  };
  const callers = Promise.all(Array.from({ length: callersCount }, reportOn));
  return {
    async untilInFlight() {
      // Counted from the call on: a first attempt may arrive before the response to the call.
      const isInFlight = (): boolean => reports.length > arrived.size - arrivedBefore;
      await waitFor(isInFlight, { what: 'a delivery in flight' });
    },
    async receiveFromNowOn(count) {
      const from = reports.length;
      await waitFor(() => reports.length >= from + count, { what: `${count} reports` });
      const eventIds = await Promise.all(reports.slice(0, from + count));
      await waitFor(() => eventIds.every((eventId) => arrived.has(eventId)), {
        what: 'all of these changes',
      });
      const later = new Set(eventIds.slice(from));
      return receiver.requests.filter((request) => later.has(eventIdOf(request)));
    },
    async [Symbol.asyncDispose]() {
      stop.requested = true;
      await callers;
    },
  };
}

test('a receiver that accepts the old, then both, then the new secret rejects no request during a rotation', async () => {
  const { uid, secret: old } = await newWebhook();
  known = [old];
  await rotateUnderLoad(uid, old);
  expect(refused).toBe(0);
  await service.call('DELETE', `/webhooks/${uid}`);
});

/** Rotates and promotes a secret while changes are reported. */
async function rotateUnderLoad(uid: string, old: string): Promise<void> {
  await using load = startLoad();
  await load.receiveFromNowOn(20);

  await load.untilInFlight();
  const rotated = await rotate(uid);
  const secret = String(rotated.body['secret']);
  expect(rotated.status).toBe(200);
  expect(secret).not.toBe(old);
  expect(overlapOf(rotated)).toBe(24 * 60 * 60 * 1_000);
  const duringOld = await load.receiveFromNowOn(40);
  expect(duringOld.every((request) => isGenuine(request, old))).toBe(true);
  expect(duringOld.every((request) => isStandard(request, secret))).toBe(true);

  known = [old, secret];
  await load.untilInFlight();
  const promoted = await promote(uid);
  expect(promoted.status).toBe(200);
  expect(promoted.body).not.toHaveProperty('secret');
  const duringBoth = await load.receiveFromNowOn(40);
  expect(duringBoth.every((request) => isGenuine(request, secret))).toBe(true);
  expect(duringBoth.every((request) => isStandard(request, old))).toBe(true);

  // Requests that were signed before the promotion have arrived, too.
  known = [secret];
  await load.receiveFromNowOn(40);
}

test.each([1, 604_800])('an overlap of %i s ends that long after the rotation', async (overlap) => {
  const { uid } = await newWebhook();
  const rotated = await rotate(uid, { overlapSeconds: overlap });
  expect(overlapOf(rotated)).toBe(overlap * 1_000);
  await service.call('DELETE', `/webhooks/${uid}`);
});

test.each([
  ['with no overlap', 0],
  ['after an overlap', 1],
])('%s the old secret no longer signs', async (_when, overlapSeconds) => {
  const { uid, secret: old } = await newWebhook();
  const rotated = await rotate(uid, { overlapSeconds });
  const secret = String(rotated.body['secret']);
  const endsAt = rotated.body['previousSecretExpiresAt'];
  expect(endsAt === null).toBe(overlapSeconds === 0);
  if (endsAt !== null) await waitFor(() => Date.now() >= Date.parse(String(endsAt)));
  known = [secret];
  const eventId = await reportChange(service);
  const request = await waitFor(() =>
    receiver.requests.find((each) => eventIdOf(each) === eventId),
  );
  expect([isGenuine(request, old), isStandard(request, old)]).toEqual([false, false]);
  expect([isGenuine(request, secret), isStandard(request, secret)]).toEqual([true, true]);
  expectProblem(await promote(uid), 409, 'conflict');
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('a second rotation is refused until the first is promoted, unless it allows no overlap', async () => {
  const { uid } = await newWebhook();
  await rotate(uid, { overlapSeconds: 60 });
  expectProblem(await rotate(uid, { overlapSeconds: 60 }), 409, 'conflict');
  await promote(uid);
  expect((await rotate(uid, { overlapSeconds: 60 })).status).toBe(200);
  expect((await rotate(uid, { overlapSeconds: 0 })).status).toBe(200);
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('a second promotion of the same secret changes nothing', async () => {
  const { uid } = await newWebhook();
  await rotate(uid, { overlapSeconds: 60 });
  const first = await promote(uid);
  const again = await promote(uid);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  const rows = { action: 'webhook.secret_promoted', 'target.uid': uid };
  expect(await service.store.auditLog.countDocuments(rows)).toBe(1);
  await service.call('DELETE', `/webhooks/${uid}`);
});

const keySetUrl = () =>
  `${service.apiUrl}/api/v1/appuid/${service.app.appUid}/.well-known/webhook-keys.json`;

const answerOk = (response: ServerResponse): void => void response.writeHead(204).end();

const versionsOf = (receiver: Receiver): string[][] =>
  receiver.requests.map(({ headers }) =>
    String(headers['webhook-signature'])
      .split(' ')
      .map((entry) => entry.split(',')[0] ?? ''),
  );

test.each([
  [
    ['v1', 'v1a'],
    ['v1', 'v1a'],
  ],
  [['v1a'], ['v1a']],
])('a webhook with the signatures %j sends %j and X-Webhook-Signature', async (wanted, sent) => {
  await using receiver = await startReceiver(answerOk);
  const fields = { url: receiver.url, signatures: wanted };
  const { uid, secret } = await registerWebhook(service, fields);
  await reportChange(service, {});
  await waitFor(async () => receiver.requests.length > 0);
  expect(versionsOf(receiver)[0]).toEqual(sent);
  const [request] = receiver.requests;
  if (request === undefined) throw new Error('nothing arrived');
  await new Verifier({ secrets: secret, scheme: 'body-only' }).verify(request);
  if (sent.includes('v1')) await new Verifier({ secrets: secret }).verify(request);
  expect(request.headers['x-webhook-uid']).toBe(uid);
  const verifier = new Verifier({ keySetUrl: keySetUrl(), webhookUid: uid });
  await verifier.verify(request);
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('a request for one webhook is refused by the receiver of another of the application', async () => {
  await using receiver = await startReceiver(answerOk);
  const fields = { url: receiver.url, signatures: ['v1a'] };
  const { uid } = await registerWebhook(service, fields);
  const { uid: otherUid } = await registerWebhook(service, fields);
  await reportChange(service, {});
  await waitFor(async () => receiver.requests.length === 2);
  for (const { headers, body } of receiver.requests) {
    const [own, other] = headers['x-webhook-uid'] === uid ? [uid, otherUid] : [otherUid, uid];
    const verifierOf = (webhookUid: string) => new Verifier({ keySetUrl: keySetUrl(), webhookUid });
    const { sequence } = await verifierOf(own).verify({ headers, body });
    expect(String(sequence)).toBe(headers['x-webhook-sequence']);
    const forged = { ...headers, 'x-webhook-uid': other, 'x-webhook-sequence': '999999999' };
    await expect(verifierOf(other).verify({ headers: forged, body })).rejects.toMatchObject({
      code: 'signature_mismatch',
    });
  }
  for (const each of [uid, otherUid]) await service.call('DELETE', `/webhooks/${each}`);
});

test('the signatures can be changed', async () => {
  await using receiver = await startReceiver(answerOk);
  const { uid } = await registerWebhook(service, { url: receiver.url });
  const body = { signatures: ['v1a'] };
  expect((await service.call('PATCH', `/webhooks/${uid}`, { body })).body['signatures']).toEqual([
    'v1a',
  ]);
  await reportChange(service, {});
  await waitFor(async () => receiver.requests.length > 0);
  expect(versionsOf(receiver)[0]).toEqual(['v1a']);
  await service.call('DELETE', `/webhooks/${uid}`);
});
