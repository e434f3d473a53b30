// `lastTriggeredAt` of a webhook is the time of its own latest attempt.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { TriggerRecorder } from '../../../lib/webhooks/trigger-recorder.ts';
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

const insert = () => insertWebhook(installation, { url: 'https://receiver.example.com' });

/** Returns the stored time, which reads see a moment after the write. */
function lastTriggeredAt({ _id }: WebhookDocument): Promise<Date> {
  return waitFor(async () => {
    const stored = await installation.store.webhooks.findOne({ _id });
    return stored?.lastTriggeredAt ?? undefined;
  });
}

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

/** Records triggers like a process that then stops. */
async function record(...triggers: [webhook: WebhookDocument, at: Date][]): Promise<void> {
  const recorder = new TriggerRecorder(installation.store);
  for (const [webhook, time] of triggers) recorder.record(webhook._id, time);
  await recorder[Symbol.asyncDispose]();
}

test('a stopping process records for each webhook the time of its own latest attempt', async () => {
  const [one, other] = [await insert(), await insert()];
  await record([one, at(5)], [other, at(30)], [one, at(9)], [one, at(2)]);
  expect(await lastTriggeredAt(one)).toEqual(at(9));
  expect(await lastTriggeredAt(other)).toEqual(at(30));
});

test('an earlier attempt that another process records later does not move the time back', async () => {
  const webhook = await insert();
  await record([webhook, at(30)]);
  await record([webhook, at(5)]);
  // When the last write is visible, the earlier ones are, too.
  const last = await insert();
  await record([last, at(1)]);
  await lastTriggeredAt(last);
  expect(await lastTriggeredAt(webhook)).toEqual(at(30));
});

test('while a process runs, the attempts of one second are written together', async () => {
  const [one, other] = [await insert(), await insert()];
  const recorder = new TriggerRecorder(installation.store);
  recorder.record(one._id, at(5));
  recorder.record(other._id, at(6));
  expect(await lastTriggeredAt(one)).toEqual(at(5));
  expect(await lastTriggeredAt(other)).toEqual(at(6));
  recorder.record(one._id, at(7));
  await waitFor(async () => (await lastTriggeredAt(one)) > at(5));
  expect(await lastTriggeredAt(one)).toEqual(at(7));
  await recorder[Symbol.asyncDispose]();
});
