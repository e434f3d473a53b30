// The page of a resend, without Temporal: what it hands on, and to whom.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/clock.ts';
import { takePage } from '../../../lib/delivery/redeliver-pages.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { newRedelivery } from '../../../lib/store/redeliveries.ts';
import type { RedeliverPage } from '../../../lib/temporal/messages.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';

const open = new Disposal();
let installation: Installation;

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

afterAll(() => open[Symbol.asyncDispose]());

/** Asks for a resend of an event to two webhooks, of which some are deleted before its page is taken. */
async function resendAfterDeleting(deletedCount: number): Promise<{
  page: RedeliverPage;
  eventId: string;
  kept: string[];
}> {
  const { store, app } = installation;
  const url = 'https://receiver.example.com/';
  const webhooks = [
    await insertWebhook(installation, { url }),
    await insertWebhook(installation, { url }),
  ];
  const webhookUids = webhooks.map((webhook) => webhook._id);
  const { _id: eventId } = await insertEvent(installation, []);
  const asked = newRedelivery(app.appUid, new Date());
  await store.redeliveries.insertOne({ ...asked, kind: 'resend', eventId, webhookUids });
  await store.webhooks.deleteMany({ _id: { $in: webhookUids.slice(0, deletedCount) } });
  const ports = { store, clock: systemClock, wakeLane: async () => undefined };
  const page = await takePage(ports, {
    appUid: app.appUid,
    source: { kind: 'redelivery', redeliveryUid: asked._id },
    after: '',
    released: 0,
  });
  const kept = webhookUids.slice(deletedCount);
  expect(await store.redeliveries.findOne({ _id: asked._id })).toMatchObject({
    state: 'done',
    releasedCount: kept.length,
  });
  return { page, eventId, kept };
}

test('a resend is to the webhooks that are there when it begins, and counts no other', async () => {
  const { page, eventId, kept } = await resendAfterDeleting(1);
  expect(page).toMatchObject({ events: [{ eventId, webhookUids: kept }], isLast: true });
  const deliveries = await installation.store.deliveries.find({ eventId }).toArray();
  expect(deliveries.map((delivery) => delivery.webhookUid)).toEqual(kept);
});

test('a resend to webhooks that are all gone hands nothing on', async () => {
  const { page } = await resendAfterDeleting(2);
  expect(page).toMatchObject({ events: [], isLast: true });
});
