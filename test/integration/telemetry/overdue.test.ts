// Deliveries that wait for longer than they should, for the alert: which are counted, and which have a reason.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countOverdue } from '../../../lib/history/overdue-deliveries.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
import { insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(() => installation?.[Symbol.asyncDispose]());

const now = new Date();
const ago = (ms: number): Date => new Date(now.getTime() - ms);
const retrying = { state: 'retrying', nextAttemptAt: ago(60_001) } as const;

test.each<[string, Partial<DeliveryDocument>, Partial<StoredWebhook>, number]>([
  ['a retry that is overdue by more than a minute', retrying, {}, 1],
  ['a retry of a minute ago', { ...retrying, nextAttemptAt: ago(60_000) }, {}, 0],
  ['an overdue rate-limit slot', { ...retrying, state: 'pending', isRateLimited: true }, {}, 1],
  ['a delivery without a time', { state: 'pending', nextAttemptAt: null }, {}, 0],
  ['an overdue retry of a failing webhook', retrying, { failingSince: ago(1) }, 0],
  ['an overdue retry of a paused webhook', retrying, { active: false }, 0],
  [
    'an overdue retry of a deactivated webhook',
    retrying,
    { active: false, disabledReason: 'failing' },
    0,
  ],
])('%s is counted as overdue or not', async (...row) => {
  const [, delivery, webhook, count] = row;
  const { store } = installation;
  await store.deliveries.deleteMany({});
  const url = 'https://receiver.example/';
  const { _id: webhookUid } = await insertWebhook(installation, { url, ...webhook });
  const created = newDelivery(installation, ago(3_600_000), { webhookUid, ...delivery });
  await store.deliveries.insertOne(created);
  expect(await countOverdue(store, now)).toBe(count);
});

test('of a webhook that was deleted nothing is counted', async () => {
  const { store } = installation;
  await store.deliveries.deleteMany({});
  const deleted = newDelivery(installation, ago(3_600_000), retrying);
  await store.deliveries.insertOne(deleted);
  expect(await countOverdue(store, now)).toBe(0);
});
