// What a resend takes and refuses; what it sends is in test/e2e/redelivery.test.ts.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { startService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';
import { expectProblem } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test('an event that nobody was subscribed to is resent only to webhooks that are named', async () => {
  const event = await insertEvent(service, []);
  const webhook = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  const path = `/events/${event._id}/resend`;
  expectProblem(await service.call('POST', path, { body: {} }), 409, 'conflict');
  expect(await service.store.redeliveries.countDocuments()).toBe(0);
  const named = await service.call('POST', path, { body: { webhookUids: [webhook._id] } });
  expect(named.status).toBe(202);
  expect(await service.store.redeliveries.countDocuments()).toBe(1);
});

test('a resend repeated with its Idempotency-Key is one resend', async () => {
  const webhook = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  const event = await insertEvent(service, [webhook._id]);
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': 'resend-once' };
  const path = `/events/${event._id}/resend`;
  const first = await service.call('POST', path, { body: {}, headers });
  const again = await service.call('POST', path, { body: {}, headers });
  expect(again.body).toEqual(first.body);
  expect(await service.store.redeliveries.countDocuments({ eventId: event._id })).toBe(1);
});
