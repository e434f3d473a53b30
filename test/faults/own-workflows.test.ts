// Events at the pace of people have workflows of their own (ADR 39).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { insertWebhook } from '../support/fixtures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => response.writeHead(204).end());
  await insertWebhook(service, { url: receiver.url });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

const uid = 'changed-by-curl';
const body = JSON.stringify({ event: 'agent.updated', data: { uid, externalTenantId: 'tenant' } });

/** Returns the workflow IDs of the events, once all have started. */
async function workflowIds(count: number): Promise<string[]> {
  const started = { resourceUid: uid, dispatchedAt: { $ne: null } };
  const { events } = service.store;
  await waitFor(async () => (await events.countDocuments(started)) === count, {
    what: `${count} started events`,
    timeoutMs: 60_000,
  });
  return (await events.find({ resourceUid: uid }).toArray()).map(
    ({ workflowId }) => workflowId ?? '',
  );
}

test('each of 30 changes made by curl has its own workflow while fewer than ten events wait', async () => {
  const url = `${service.apiUrl}/api/v1/appuid/${service.app.appUid}/changes`;
  const headers = [`x-api-key: ${service.app.apiKey}`, 'content-type: application/json'];
  const options = headers.flatMap((header) => ['-H', header]);
  const waiting = { resourceUid: uid, dispatchedAt: null };
  for (let n = 0; n < 30; n += 1) {
    // After other tests, Temporal may take longer for a start than curl for three changes.
    const hasRoom = async () => (await service.store.events.countDocuments(waiting)) < 9;
    await waitFor(hasRoom, { what: 'the workflows of earlier events' });
    await promisify(execFile)('curl', ['-sS', '--fail', ...options, '-d', body, url]);
  }
  expect((await workflowIds(30)).filter((id) => id.startsWith('agent.updated/'))).toHaveLength(30);
});
