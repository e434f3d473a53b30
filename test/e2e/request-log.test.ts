// The log of requests: the client's address behind a proxy, the reason for a refusal, dropped connections, and a proxy that
// is not configured.
import { once } from 'node:events';
import { connect } from 'node:net';
import { type CallOptions, createApiClient } from '../support/api-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';

const connectionsMax = 4;

let installation: Installation;
let api: RoleProcess;

beforeAll(async () => {
  installation = await createInstallation({
    HERALD_TRUSTED_PROXY_HOPS: '1',
    HERALD_CONNECTIONS: String(connectionsMax),
  });
  api = await startRole('api', installation.env);
});

afterAll(async () => {
  await api?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

const lineOf = (requestId: string): Promise<Record<string, unknown>> =>
  waitFor(() => api.lines.find((line) => line['requestId'] === requestId), { what: 'a log line' });

// Stands for any text from a caller that must not be logged.
const canary = 'canary4711';
const body = { agentName: 'Agent', externalTenantId: 'tenant-1' };
const change = { event: 'agent.updated', data: { uid: 'a', externalTenantId: 't' } };

interface Logged {
  status: number;
  code: string;
  fault?: { code: string; pointer: string };
}

const invalid = (code: string, pointer: string): Logged => ({
  status: 400,
  code: 'invalid_request',
  fault: { code, pointer },
});

test.each<[string, CallOptions, Logged]>([
  [`GET /agents?${canary}=1`, {}, invalid('unknown', '?')],
  ['POST /agents', { body: { ...body, [canary]: 1 } }, invalid('additionalProperties', '#')],
  [
    'POST /changes',
    { body: { ...change, data: { ...change.data, [canary]: 1e300 } } },
    { status: 400, code: 'malformed_json', fault: { code: 'number', pointer: '#' } },
  ],
  [
    'POST /webhooks',
    { body: { url: 'https://a.example/', entities: ['agent'], filter: { [canary]: {} } } },
    invalid('filter', '#/filter'),
  ],
  [
    'POST /webhooks',
    { body: { url: `https://${canary}:x@example.com/`, entities: ['agent'] } },
    {
      status: 422,
      code: 'invalid_webhook_url',
      fault: { code: 'invalid_webhook_url', pointer: '#/url' },
    },
  ],
  [`GET /agents/${canary}`, {}, { status: 404, code: 'not_found' }],
])(
  '%s with %j is logged with the reason for the refusal and no value from the caller',
  async (...row) => {
    const [call, options, why] = row;
    const [method = '', path = ''] = call.split(' ');
    const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
    const answer = await client.call(method, path, options);
    const line = await lineOf(answer.headers.get('x-request-id') ?? '');
    expect(line).toMatchObject({ msg: 'request.completed', ...why });
    expect(line['fault']).toEqual(why.fault);
    expect(JSON.stringify(line)).not.toContain(canary);
  },
);

test('a request that succeeds is logged without a fault, with the address that the trusted proxy added', async () => {
  const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
  const forwarded = { 'x-forwarded-for': '6.6.6.6, 203.0.113.9' };
  const headers = { 'x-api-key': installation.app.apiKey, ...forwarded };
  const answer = await client.call('GET', '/agents', { headers });
  const line = await lineOf(answer.headers.get('x-request-id') ?? '');
  expect(line).toMatchObject({
    msg: 'request.completed',
    status: 200,
    remoteAddress: '203.0.113.9',
  });
  expect(line).not.toHaveProperty('code');
  expect(line).not.toHaveProperty('fault');
});

test('connections dropped beyond the limit are counted in one log line per second', async () => {
  const sockets = Array.from({ length: connectionsMax + 6 }, () =>
    connect(api.port, '127.0.0.1').on('error', () => undefined),
  );
  const linesOfDrops = () => api.lines.filter((line) => line.msg === 'connections.dropped');
  const countDropped = (): number =>
    linesOfDrops().reduce((sum, line) => sum + Number(line['dropped']), 0);
  await Promise.all([
    waitFor(() => countDropped() >= 6, { what: 'the log of six dropped connections' }),
    Promise.race(sockets.map((socket) => once(socket, 'close'))),
  ]);
  expect(countDropped()).toBe(6);
  for (const line of linesOfDrops()) expect(line).toMatchObject({ level: 'warn', connectionsMax });
  // One line, unless a busy machine spread the drops over several seconds.
  expect(linesOfDrops().length).toBeLessThan(6);
  for (const socket of sockets) socket.destroy();
});

test('the first forwarded request logs one warning with the name of the setting and no part of the header', async () => {
  await using bare = await createInstallation({ HERALD_TRUSTED_PROXY_HOPS: '0' });
  await using undeclared = await startRole('api', bare.env);
  const warnings = () => undeclared.lines.filter((line) => line.msg === 'trusted_proxy.missing');
  const visit = async (headers: Record<string, string>): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${undeclared.port}/nothing`, { headers });
    const requestId = answer.headers.get('x-request-id');
    await waitFor(() => undeclared.lines.some((line) => line['requestId'] === requestId), {
      what: 'the line of the request',
    });
  };
  await visit({});
  expect(warnings()).toEqual([]);
  await visit({ forwarded: 'for=203.0.113.9' });
  await visit({ 'x-forwarded-for': '203.0.113.9' });
  expect(warnings()).toEqual([expect.objectContaining({ level: 'warn', subject: 'http' })]);
  expect(JSON.stringify(warnings())).toContain('HERALD_TRUSTED_PROXY_HOPS');
  expect(JSON.stringify(warnings())).not.toContain('203.0.113.9');
});
