// `lastTriggeredAt` of a webhook is the time of its own latest attempt.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { createTriggerRecorder } from '../../../lib/webhooks/webhooks.ts';
import { insertWebhook } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { waitFor } from '../../support/wait-for.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

/** Returns the stored time, which reads see a moment after it was written. */
function lastTriggeredAt({ _id }: WebhookDocument): Promise<Date> {
  return waitFor(async () => {
    const stored = await installation.store.webhooks.findOne({ _id });
    return stored?.lastTriggeredAt ?? undefined;
  });
}

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

test('concurrently recorded attempts leave each webhook the time of its own latest attempt', async () => {
  const insert = () => insertWebhook(installation, { url: 'https://receiver.example.com' });
  const [one, other] = [await insert(), await insert()];
  const record = createTriggerRecorder(installation.store);
  const records = [
    record(one, at(5)),
    record(other, at(30)),
    record(one, at(9)),
    record(one, at(2)),
  ];
  await Promise.all(records);
  await waitFor(async () => (await lastTriggeredAt(one)) > at(5));
  expect(await lastTriggeredAt(one)).toEqual(at(9));
  expect(await lastTriggeredAt(other)).toEqual(at(30));
});

test('an earlier attempt that another process records later does not move the time back', async () => {
  const webhook = await insertWebhook(installation, { url: 'https://receiver.example.com' });
  await createTriggerRecorder(installation.store)(webhook, at(30));
  await createTriggerRecorder(installation.store)(webhook, at(5));
  // When the last write is visible, the earlier ones are, too.
  const last = await insertWebhook(installation, { url: 'https://receiver.example.com' });
  await createTriggerRecorder(installation.store)(last, at(1));
  await lastTriggeredAt(last);
  expect(await lastTriggeredAt(webhook)).toEqual(at(30));
});
