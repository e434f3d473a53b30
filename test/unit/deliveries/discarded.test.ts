// Deliveries without a discard count, recorded by an earlier version, that a discard drops.
import { expect, test } from 'vitest';
import { decide } from '../../../lib/deliveries/decide.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { newDelivery, newEvent, newWebhook } from '../../support/fixtures.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const atDiscard = new Date(now.getTime() - 30_000);
const before = new Date(atDiscard.getTime() - 1);
const app = { appUid: 'app_1' };
const secret = { keyId: 'key-1', sealed: '' };
const webhook = newWebhook(app.appUid, before, {
  _id: 'whk_1',
  url: 'https://example.com',
  secret,
});
const facts = { caller: { kind: 'event' }, processUid: 'prc_1', now } as const;

interface Row {
  what: string;
  isDropped: boolean;
  eventAt: Date;
  fields: Partial<DeliveryDocument> | null;
}

test.each<Row>([
  { what: 'an event recorded before it', isDropped: true, eventAt: before, fields: null },
  {
    what: 'an event recorded at the same time or later',
    isDropped: false,
    eventAt: atDiscard,
    fields: null,
  },
  {
    what: 'a resend requested before it',
    isDropped: true,
    eventAt: before,
    fields: { requeuedAs: 'resend', requeuedAt: before },
  },
  {
    what: 'a resend requested later',
    isDropped: false,
    eventAt: before,
    fields: { requeuedAs: 'resend', requeuedAt: atDiscard },
  },
])('a first discard drops $what without a count: $isDropped', ({ isDropped, eventAt, fields }) => {
  const event = newEvent({ app }, ['whk_1'], eventAt);
  const found = { eventId: event._id, webhookUid: 'whk_1', ...fields };
  const delivery = fields && newDelivery({ app }, eventAt, found);
  const discarding = { ...webhook, discardCount: 1, discardBefore: atDiscard };
  const dropped = { state: 'cancelled', cancelReason: 'discarded' };
  const decision = decide({ ...facts, event, delivery, webhook: discarding });
  expect(decision).toEqual(isDropped ? dropped : 'send');
});

test('a discard without a count, from a process of an earlier version, drops nothing', () => {
  const event = newEvent({ app }, ['whk_1'], before);
  const discarding = { ...webhook, discardBefore: now };
  expect(decide({ ...facts, event, delivery: null, webhook: discarding })).toBe('send');
});
