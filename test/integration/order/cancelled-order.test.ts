// An operator cancels the workflow of an order: the attempt in flight is made and recorded, and no other one starts.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createActivities } from '../../../activities/index.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender, type Sender } from '../../../lib/egress/http-sender.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { giveNumber } from '../../support/issue-number.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let sender: Sender;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.end()));
  sender = open.use(createHttpSender({ policy: installation.config.egress }));
});

afterAll(() => open[Symbol.asyncDispose]());

test.each([
  ['an operator cancels leaves the first of two delivered', 'CANCELLED', ['delivered']],
  ['its process cuts off when it stops leaves none', 'WORKER_SHUTDOWN', []],
] as const)('a step that %s', async (_what, reason, states) => {
  const webhook = await insertWebhook(installation, { url: receiver.url, ordering: 'resource' });
  const insert = () => insertEvent(installation, [webhook._id]);
  const events = [await insert(), await insert()] as const;
  const { partition } = await giveNumber(installation, events[0], webhook._id);
  await giveNumber(installation, events[1], webhook._id);
  const environment = new MockActivityEnvironment();
  const send: Sender['send'] = async (request) => {
    environment.cancel(reason);
    return sender.send(request);
  };
  const ports: DeliveryPorts = deliveryPorts(installation, { sender: { ...sender, send } });
  const step = environment.run(() => createActivities(ports).attemptInOrder(partition));
  await step.catch(() => undefined);
  const eventId = { $in: events.map(({ _id }) => _id) };
  const deliveries = await installation.store.deliveries.find({ eventId }).toArray();
  expect(deliveries.map(({ state }) => state)).toEqual(states);
});
