// A webhook comes to want an order: which of the events recorded before it count as earlier ones.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../../lib/ids.ts';
import type { DeliveryState } from '../../../lib/model/delivery-state.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { findBefore, laneOf, putInOrder } from '../../../lib/store/lanes.ts';
import { newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';

let installation: Installation;
const webhookUid = newId('whk');
const now = new Date();

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

/** Records an event, and its delivery where a state is given; puts it in order and gives what it is then. */
async function putIn(facts: {
  ageMs: number;
  state?: DeliveryState;
  fields?: Partial<EventDocument>;
}): Promise<EventDocument> {
  const { store, app } = installation;
  const at = new Date(now.getTime() - facts.ageMs);
  const event = { ...newEvent(installation, [webhookUid], at), ...facts.fields };
  await store.events.insertOne(event);
  const delivery = { eventId: event._id, webhookUid };
  if (facts.state !== undefined) {
    await store.deliveries.insertOne(
      newDelivery(installation, at, { ...delivery, state: facts.state }),
    );
  }
  await putInOrder(store, { appUid: app.appUid, webhookUid }, now);
  const put = await store.events.findOne({ _id: event._id });
  if (put === null) throw new Error('the event is gone');
  return put;
}

const anHour = 3_600_000;

test.each([
  ['retrying', 'underway'],
  ['pending', 'underway'],
  ['waiting', 'underway'],
  ['held', 'held'],
] as const)('an event of an hour ago that is %s comes before later ones', async (state, before) => {
  const event = await putIn({ ageMs: anHour, state });
  expect(event.inOrder).toBe(true);
  expect(await findBefore(installation.store, laneOf(event, webhookUid), 2)).toBe(before);
});

test.each(['delivered', 'exhausted', 'blocked', 'cancelled'] as const)(
  'an event of an hour ago that is %s does not',
  async (state) => {
    expect((await putIn({ ageMs: anHour, state })).inOrder).toBe(false);
  },
);

test('an event that nothing was recorded of does for a minute, for its first attempt may be under way', async () => {
  expect((await putIn({ ageMs: 60_000 })).inOrder).toBe(true);
  expect((await putIn({ ageMs: 60_001 })).inOrder).toBe(false);
});

test('an event that was erased does not, and one of another webhook does not', async () => {
  const erased = { erasedAt: now };
  expect((await putIn({ ageMs: anHour, state: 'held', fields: erased })).inOrder).toBe(false);
  expect((await putIn({ ageMs: 0, fields: erased })).inOrder).toBe(false);
  const others = { webhookUids: [newId('whk')] };
  expect((await putIn({ ageMs: 0, fields: others })).inOrder).toBe(false);
});
