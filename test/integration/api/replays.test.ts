// What a replay takes and refuses, and what it says of itself; what it sends is in test/e2e/redelivery.test.ts.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Answer } from '../../support/api-client.ts';
import { insertWebhook } from '../../support/fixtures.ts';
import { startService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';
import { expectProblem, faultsOf } from './problems.ts';

let service: TestService;
let webhookUid: string;

beforeAll(async () => {
  service = await startService({ worker: false });
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function replay(body: unknown): Promise<Answer> {
  return service.call('POST', `/webhooks/${webhookUid}/replays`, { body });
}

test.each([
  [{}, '#/since required'],
  [{ since: 'yesterday' }, '#/since time'],
  [{ since: '2026-11-21' }, '#/since time'],
  [{ since: '2026-02-28T25:00:00Z' }, '#/since time'],
  [{ since: '2026-02-30T00:00:00Z' }, '#/since time'],
  [{ since: '2026-02-29T00:00:00Z' }, '#/since time'],
  [{ since: '2100-02-29T00:00:00Z' }, '#/since time'],
  [{ since: '2026-04-31T00:00:00+02:00' }, '#/since time'],
  [{ since: '2999-01-01T00:00:00Z' }, '#/since range'],
  [{ since: '2026-01-02T00:00:00Z', until: '2026-01-02T00:00:00Z' }, '#/since range'],
  [{ since: '2026-01-02T00:00:00Z', states: ['retrying'] }, '#/states/0 enum'],
  [{ since: '2026-01-02T00:00:00Z', events: ['webhook.test'] }, '#/events/0 enum'],
  [{ since: '2026-01-02T00:00:00Z', perSecond: 0 }, '#/perSecond minimum'],
  [{ since: '2026-01-02T00:00:00Z', perSecond: 101 }, '#/perSecond maximum'],
])('a replay of %j is refused', async (body, fault) => {
  const answer = await replay(body);
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
});

test.each(['2024-02-29T00:00:00Z', '2000-02-29T23:59:59.999Z'])(
  'a replay from %s, a day of a leap year, is taken',
  async (since) => {
    const answer = await replay({ since, until: '2024-03-01T00:00Z', dryRun: true });
    expect(answer.status).toBe(200);
  },
);
