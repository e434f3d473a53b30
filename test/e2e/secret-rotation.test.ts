// A secret is rotated under load. A receiver that follows each step rejects no request.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import type { Answer } from '../support/api-client.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { expectProblem, faultsOf } from '../integration/api/problems.ts';

let service: TestService;
let receiver: Receiver;
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

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response, request) => {
    arrived.add(eventIdOf(request));
    const genuine = known.some((secret) => isGenuine(request, secret));
    const standard = known.some((secret) => isStandard(request, secret));
    if (!genuine || !standard) refused += 1;
    response.writeHead(genuine && standard ? 200 : 401).end();
  });
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
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

test('a rotation repeated with its Idempotency-Key returns the same secret and rotates once', async () => {
  const { uid } = await newWebhook();
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': 'rotate-once' };
  const path = `/webhooks/${uid}/secret/rotate`;
  const [first, again] = [
    await service.call('POST', path, { body: {}, headers }),
    await service.call('POST', path, { body: {}, headers }),
  ];
  expect(again.status).toBe(200);
  expect(again.body).toEqual(first.body);
  await service.call('DELETE', `/webhooks/${uid}`);
});

test.each([
  [{ overlapSeconds: -1 }, '#/overlapSeconds minimum'],
  [{ overlapSeconds: 604_801 }, '#/overlapSeconds maximum'],
  [{ overlapSeconds: 1.5 }, '#/overlapSeconds type'],
  [{ overlapSeconds: '60' }, '#/overlapSeconds type'],
  [{ overlap: 60 }, '#/overlap additionalProperties'],
])('an overlap of %j is refused and changes nothing', async (body, fault) => {
  const { uid } = await newWebhook();
  const before = await service.store.webhooks.findOne({ _id: uid });
  const answer = await rotate(uid, body);
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
  expect(await service.store.webhooks.findOne({ _id: uid })).toEqual(before);
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('a rotation or promotion for an unknown webhook gets 404', async () => {
  const uid = 'whk_00000000000000000000000000';
  expectProblem(await rotate(uid), 404, 'not_found');
  expectProblem(await promote(uid), 404, 'not_found');
});
