// The failing webhooks of the whole installation.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addApp } from '../../support/add-app.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import { insertWebhook } from '../../support/fixtures.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, itemsOf } from '../api/problems.ts';

const path = '/stats/failing-webhooks';
const failingSince = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));

let service: TestService;
let superuser: TestAdmin;

beforeAll(async () => {
  service = await startService({ worker: false });
  superuser = await makeTestAdmin(service, { superuser: true });
  const { config, store } = service;
  const other = { config, store, app: await addApp(service) };
  await insertWebhook(service, { url: 'https://works.example/' });
  await insertWebhook(service, { url: 'https://b.example/x', failingSince: failingSince(2) });
  const named = { name: 'CRM', active: false, failingSince: failingSince(1) };
  await insertWebhook(other, { url: 'https://a.example:8443/secret', ...named });
  for (let n = 3; n < 30; n += 1) {
    await insertWebhook(service, { url: 'https://c.example/', failingSince: failingSince(n) });
  }
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test('those that have failed longest come first, over all applications, 20 by default', async () => {
  const answer = await superuser.call('GET', path);
  expect(answer.status).toBe(200);
  const items = itemsOf(answer);
  expect(items).toHaveLength(20);
  expect(items[0]).toEqual({
    appUid: expect.not.stringContaining(service.app.appUid),
    webhookUid: expect.stringMatching(/^whk_/),
    name: 'CRM',
    urlOrigin: 'https://a.example:8443',
    active: false,
    failingSince: '2026-01-01T00:01:00.000Z',
  });
  expect(items[1]).toMatchObject({ appUid: service.app.appUid, active: true, name: null });
  const since = items.map((item) => String(item['failingSince']));
  expect(since).toEqual(since.toSorted());
});

test.each([
  [1, 1],
  [100, 29],
])('with the limit %d there are %d', async (limit, count) => {
  expect(itemsOf(await superuser.call('GET', `${path}?limit=${limit}`))).toHaveLength(count);
});

test.each(['0', '101', 'all', '-1'])('the limit %s is refused', async (limit) => {
  expectProblem(await superuser.call('GET', `${path}?limit=${limit}`), 400, 'invalid_request');
});
