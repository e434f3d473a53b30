// Why webhooks fail: the latest failure of each, and what was changed shortly before.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Document } from 'mongodb';
import { newId } from '../../../lib/platform/ids.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
import { addApp } from '../../support/add-app.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { insertWebhook, newAttempt, newDelivery } from '../../support/fixtures.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
const since = new Date(Date.now() - 600_000);
const after = (ms: number): Date => new Date(since.getTime() + ms);

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function failing(fields: Partial<StoredWebhook> = {}): Promise<string> {
  const url = 'http://127.0.0.1:1/';
  return (await insertWebhook(service, { url, failingSince: since, ...fields }))._id;
}

async function fail(webhookUid: string, at: Date, status: number): Promise<string> {
  const attempt = newAttempt(at, { status, errorClass: 'status', state: 'retrying' });
  const delivery = newDelivery(service, at, {
    webhookUid,
    state: 'retrying',
    attempts: [attempt],
    attemptCount: 1,
  });
  await service.store.deliveries.insertOne(delivery);
  return delivery.eventId;
}

async function rotate(webhookUid: string, at: Date): Promise<void> {
  await service.store.auditLog.insertOne({
    _id: newId('aud', at),
    appUid: service.app.appUid,
    action: 'webhook.secret_rotated',
    target: { kind: 'webhook', uid: webhookUid },
    details: {},
    actor: { kind: 'system', uid: null },
    address: null,
    requestId: null,
    createdAt: at,
  });
}

async function failureOf(webhookUid: string): Promise<JsonBody | undefined> {
  const { body } = await service.call('GET', '/stats/failures');
  const failures = body['failures'] as unknown as JsonBody[];
  return failures.find((failure) => failure['webhookUid'] === webhookUid);
}

test('a failing webhook shows its newest failure, one that works is not listed', async () => {
  const uid = await failing();
  await fail(uid, after(0), 500);
  const eventId = await fail(uid, after(1_000), 401);
  const works = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  await fail(works._id, after(0), 500);
  expect(await failureOf(uid)).toEqual({
    webhookUid: uid,
    failingSince: since.toISOString(),
    latest: {
      eventId,
      at: after(1_000).toISOString(),
      status: 401,
      errorClass: 'status',
      detail: null,
    },
    change: null,
  });
  expect(await failureOf(works._id)).toBeUndefined();
});

test('a deactivated webhook is listed, even without a failed delivery', async () => {
  const uid = await failing({ active: false, disabledReason: 'gone', failingSince: null });
  const none = { webhookUid: uid, failingSince: null, latest: null, change: null };
  expect(await failureOf(uid)).toEqual(none);
});

const hourMs = 3_600_000;

test.each([
  [0, true],
  [1, false],
  [-hourMs, true],
  [-hourMs - 1, false],
])('a rotation %d ms after the first failure is shown: %j', async (offsetMs, isShown) => {
  const uid = await failing();
  await rotate(uid, after(offsetMs));
  const change = isShown ? { what: 'secret', at: after(offsetMs).toISOString() } : null;
  expect((await failureOf(uid))?.['change']).toEqual(change);
});

test.each([
  [0, true],
  [1, false],
  [-hourMs, true],
  [-hourMs - 1, false],
])('an old secret that ended %d ms after the first failure is shown: %j', async (...row) => {
  const [offsetMs, isShown] = row;
  const until = after(offsetMs);
  const secret = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' })).secret;
  const uid = await failing({ previousSecret: { secret, until, promoted: false } });
  const change = isShown ? { what: 'previous_secret_ended', at: until.toISOString() } : null;
  expect((await failureOf(uid))?.['change']).toEqual(change);
});

test('of more than 100 failing webhooks, those that began last are listed', async () => {
  const app = await addApp(service);
  const owner = { ...service, app };
  const url = 'http://127.0.0.1:1/';
  const uids: string[] = [];
  for (let n = 0; n < 101; n += 1) {
    uids.push((await insertWebhook(owner, { url, failingSince: after(n) }))._id);
  }
  const { body } = await app.call('GET', '/stats/failures');
  const listed = (body['failures'] as unknown as JsonBody[]).map((each) => each['webhookUid']);
  expect(body['moreCount']).toBe(1);
  expect(listed).toEqual(uids.slice(1).toReversed());
});

test('the newest failure is found by an index, without reading others', async () => {
  const uid = await failing();
  for (let n = 0; n < 20; n += 1) await fail(uid, after(n), 500);
  const profiles = await profile(service.store, 'deliveries', () => failureOf(uid));
  expect(profiles.length).toBeGreaterThan(0);
  for (const { execStats, docsExamined, hasSortStage } of profiles) {
    expect(indexesOf(execStats as Document, 'deliveries')).toEqual(
      new Set(['deliveries.webhookState']),
    );
    expect(docsExamined).toBeLessThanOrEqual(1);
    expect(hasSortStage).toBeUndefined();
  }
});
