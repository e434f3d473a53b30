// While the key of `v1a` cannot be read, nothing is sent or recorded: the attempt is repeated.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { createHttpSender, type Sender } from '../../../lib/egress/http-sender.ts';
import { createWebhookKeys } from '../../../lib/identity/webhook-keys.ts';
import { dayMs } from '../../../lib/platform/duration.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { tokenLog } from '../../../lib/platform/logger.ts';
import { createSecretBox } from '../../../lib/platform/secret-box.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';

let installation: Installation;
let receiver: Receiver;
let sender: Sender;

beforeAll(async () => {
  installation = await createInstallation();
  receiver = await startReceiver((response) => response.end());
  sender = createHttpSender({ policy: installation.config.egress });
});

afterAll(async () => {
  await sender?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

test('an attempt without a readable key is no attempt, and the next one is delivered', async () => {
  const { url } = receiver;
  const { store, config } = installation;
  const webhook = await insertWebhook(installation, { url, signatures: ['v1a'] });
  const event = await insertEvent(installation, [webhook._id]);
  const key = { appUid: webhook.appUid, eventId: event._id, webhookUid: webhook._id };
  const secretBox = createSecretBox(config.sealingKeys);
  const find = () => {
    throw new Error('no database');
  };
  const unreadable = Object.create(store.webhookKeys, { find: { value: find } });
  const keyPorts = { secretBox, clock: systemClock, rotationMs: 30 * dayMs };
  const broken = createWebhookKeys({
    ...keyPorts,
    store: { ...store, webhookKeys: unreadable as typeof store.webhookKeys },
  });
  const attemptWith = async (webhookKeys = broken) => {
    const ports = deliveryPorts(installation, { sender, webhookKeys });
    const { signal } = new AbortController();
    return attemptDelivery(ports, key, { caller: { kind: 'event' }, signal });
  };
  const warned = vi.spyOn(tokenLog, 'warn').mockImplementation(() => undefined);
  await expect(attemptWith()).rejects.toThrow('no database');
  const [fields, message] = warned.mock.calls[0] ?? [];
  expect([message, fields]).toEqual([
    'signing_keys.read_failed',
    expect.objectContaining({ appUid: webhook.appUid }),
  ]);
  warned.mockRestore();
  expect(receiver.requests).toHaveLength(0);
  expect(await store.deliveries.countDocuments({ eventId: event._id })).toBe(0);

  const { state } = await attemptWith(createWebhookKeys({ ...keyPorts, store }));
  expect([state, receiver.requests.length]).toEqual(['delivered', 1]);
  expect(receiver.requests[0]?.headers['webhook-signature']).toMatch(/^v1a,[^ ]+$/);
});
