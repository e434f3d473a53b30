// After SIGTERM a process finishes its running work, accepts no new work and exits within 10 s.
import { once } from 'node:events';
import { connect } from 'node:net';
import { forEachLimit } from '../../lib/concurrency/for-each-limit.ts';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { createApiClient } from '../support/api-client.ts';
import { insertEvent, insertWebhook } from '../support/fixtures.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { startReceiver } from '../support/receivers.ts';
import { startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

test('after SIGTERM a worker finishes its running attempt and records it', async () => {
  const answers: (() => void)[] = [];
  await using receiver = await startReceiver((response) => {
    answers.push(() => response.writeHead(200).end('late'));
  });
  const webhook = await insertWebhook(installation, { url: receiver.url });
  await using worker = await startRole('worker', installation.env);
  const event = await insertEvent(installation, [webhook._id], new Date(Date.now() - 5_000));
  await waitFor(() => receiver.requests.length === 1, { what: 'the attempt' });
  const ending = worker.end('SIGTERM');
  await waitFor(() => worker.lines.some((line) => line.msg === 'process.stopping'), {
    what: 'the log line that the worker stops',
  });
  for (const answer of answers) answer();
  // It would be 1 after more than ten seconds.
  expect((await ending).code).toBe(0);
  const delivery = await installation.store.deliveries.findOne({ eventId: event._id });
  expect(delivery).toMatchObject({ state: 'delivered', attemptCount: 1 });
  expect(delivery?.attempts[0]).toMatchObject({ status: 200, responseSample: 'late' });
  expect(receiver.requests).toHaveLength(1);
});

test('after SIGTERM a worker starts no queued attempt and interrupts none', async () => {
  // 24 concurrent requests of 0.6 s each make 40 per second, so the others wait.
  await using receiver = await startReceiver((response) => {
    setTimeout(() => response.writeHead(200).end(), 600);
  });
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const at = new Date(Date.now() - 5_000);
  await forEachLimit(Array.from({ length: 400 }), 20, async () => {
    await insertEvent(installation, [webhook._id], at);
  });
  // Started once all of them exist.
  await using worker = await startRole('worker', installation.env);
  await waitFor(() => receiver.requests.length > 24, { what: 'a queued attempt' });
  expect((await worker.end('SIGTERM')).code).toBe(0);
  const { deliveries } = installation.store;
  const countOf = (state: DeliveryState): Promise<number> =>
    deliveries.countDocuments({ webhookUid: webhook._id, state });
  expect(await countOf('pending')).toBeGreaterThan(0);
  expect(await countOf('delivered')).toBe(receiver.requests.length);
});

test('after SIGTERM an api responds to the request in flight and accepts no new connection', async () => {
  await using api = await startRole('api', installation.env);
  const { appUid, apiKey } = installation.app;
  const body = JSON.stringify({ agentName: 'Late', externalTenantId: 'tenant-1' });
  const socket = connect(api.port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    `POST /api/v1/appuid/${appUid}/agents HTTP/1.1`,
    'Host: herald',
    `x-api-key: ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
  // The request is in flight once another one, sent after it, has got its response.
  await fetch(`http://127.0.0.1:${api.port}/healthz`, { headers: { connection: 'close' } });
  const ending = api.end('SIGTERM');
  await waitFor(
    async () =>
      fetch(`http://127.0.0.1:${api.port}/healthz`).then(
        () => false,
        () => true,
      ),
    { what: 'the end of listening' },
  );
  socket.write(body.slice(10));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 201 /);
  expect(answer.toString().toLowerCase()).toContain('connection: close');
  expect((await ending).code).toBe(0);
});

test('for HERALD_DRAIN_FOR a stopping api is unready, accepts requests and ends each connection with its response', async () => {
  await using api = await startRole('api', { ...installation.env, HERALD_DRAIN_FOR: '6s' });
  const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
  const before = await client.raw('GET', '/readyz');
  expect(before.headers.get('connection')).toBe('keep-alive');
  const ending = api.end('SIGTERM');
  await waitFor(async () => (await client.raw('GET', '/readyz')).body['status'] === 'stopping', {
    what: 'the stop',
  });
  const body = { agentName: 'Late', externalTenantId: 'tenant-1', live: true };
  const answer = await client.call('POST', '/agents', { body });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('connection')).toBe('close');
  const { code, ms } = await ending;
  expect(code).toBe(0);
  expect(ms).toBeGreaterThanOrEqual(6_000);
});
