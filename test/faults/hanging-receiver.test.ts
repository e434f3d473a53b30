// A receiver that never responds does not delay deliveries to others.
import { Disposal } from '../../lib/platform/disposal.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

const open = new Disposal();
let service: TestService;
let healthy: Receiver;

beforeAll(async () => {
  service = open.use(await startService());
  healthy = open.use(await startReceiver((response) => response.writeHead(200).end()));
});

afterAll(() => open[Symbol.asyncDispose]());

test('more hanging retries than a worker can run do not delay first attempts', async () => {
  // Twenty webhooks, because at most 32 requests of one are in flight.
  const receivers = await Promise.all(
    Array.from({ length: 20 }, async () => open.use(await startReceiver(() => undefined))),
  );
  const retryScheduleMs = Array(20).fill(1_000);
  for (const { url } of receivers) {
    await insertWebhook(service, { url, entities: ['context'], retryScheduleMs });
  }
  await insertWebhook(service, { url: `${healthy.url}/prompt`, entities: ['agent'] });
  const report = (event: string): Promise<string> => reportChange(service, { uid: 'uid_1' }, event);
  // 600 deliveries: each attempt hangs for 5 s, and the next one starts a second later.
  await Promise.all(Array.from({ length: 30 }, () => report('context.updated')));
  const requestCount = () => receivers.reduce((sum, { requests }) => sum + requests.length, 0);
  await waitFor(() => requestCount() >= 800, { what: '200 retries that hang' });

  const deliver = async (): Promise<number> => {
    const eventId = await report('agent.updated');
    const reportedAtMs = performance.now();
    await waitFor(
      () =>
        healthy.requests.some(
          ({ path, headers }) => path === '/prompt' && headers['webhook-id'] === eventId,
        ),
      { what: 'the delivery to the healthy receiver' },
    );
    return performance.now() - reportedAtMs;
  };
  // Queued behind them, each would take at least 8 s. The fastest of three, because a busy machine may delay one.
  const tookMs = [await deliver(), await deliver(), await deliver()];
  expect(Math.min(...tookMs)).toBeLessThan(7_000);
});
