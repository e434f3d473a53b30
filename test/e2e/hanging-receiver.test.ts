// A receiver that never answers keeps nobody else waiting.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Disposal } from '../../lib/disposal.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { startReceiver } from '../support/receivers.ts';
import type { Receiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const changeCount = 200;

const open = new Disposal();
let service: TestService;
let healthy: Receiver;
let hanging: Receiver;

beforeAll(async () => {
  service = open.use(await startService());
  healthy = open.use(await startReceiver((response) => response.writeHead(200).end()));
  hanging = open.use(await startReceiver(() => undefined));
}, 60_000);

afterAll(() => open[Symbol.asyncDispose]());

test('200 deliveries to one webhook are done while the first attempts to a webhook that hangs still hang', async () => {
  const well = await insertWebhook(service, { url: healthy.url });
  const stuck = await insertWebhook(service, { url: hanging.url });
  const reported = await Promise.all(
    Array.from({ length: changeCount }, (_, n) =>
      service.call('POST', '/changes', {
        body: { event: 'agent.updated', data: { uid: `agt_${n}`, externalTenantId: 'tenant-1' } },
      }),
    ),
  );
  expect(reported.map(({ status }) => status)).toEqual(Array(changeCount).fill(202));

  const { deliveries } = service.store;
  const delivered = { webhookUid: well._id, state: 'delivered' } as const;
  await waitFor(async () => (await deliveries.countDocuments(delivered)) === changeCount, {
    timeoutMs: 20_000,
    what: '200 deliveries to the healthy receiver',
  });
  expect(hanging.requests.length).toBeGreaterThan(0);
  expect(await deliveries.countDocuments({ webhookUid: stuck._id })).toBeLessThan(changeCount);
  expect(new Set(healthy.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(
    changeCount,
  );
  expect(healthy.requests).toHaveLength(changeCount);
}, 60_000);
