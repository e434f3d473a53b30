// `agent-herald mcp`, with the official client, against a real service.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { explainDelivery } from '../../../../packages/cli/src/assistant/explain-delivery.ts';
import { type CommandLine, buildCommandLine } from '../../../support/command-line.ts';
import { closedPort, type Receiver, startReceiver } from '../../../support/receivers.ts';
import { startService, type TestService } from '../../../support/service.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { registerWebhook, reportChange } from '../../../support/webhook-calls.ts';

let service: TestService;
let receiver: Receiver;
let cli: CommandLine;
let webhookUid: string;
let secret: string;
let eventId: string;

const retrySchedule: string[] = [];

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => response.writeHead(401).end('no'));
  const { appUid, apiKey } = service.app;
  const settings = { HERALD_URL: service.apiUrl, HERALD_APP_UID: appUid, HERALD_API_KEY: apiKey };
  cli = await buildCommandLine(settings);
  const url = `${receiver.url}/hook?token=hidden-in-the-query`;
  const headers = { 'x-gateway': 'hidden-in-a-header' };
  const auth = { type: 'bearer', token: 'hidden-token' };
  const hook = { url, headers, auth, retrySchedule };
  ({ uid: webhookUid, secret } = await registerWebhook(service, hook));
  await registerWebhook(service, { url: receiver.url, entities: ['context'] });
  eventId = await reportChange(service, { agentName: 'Support' });
  await waitFor(
    async () => (await service.store.deliveries.findOne({ eventId }))?.state === 'exhausted',
    { what: 'the failed delivery' },
  );
});

afterAll(async () => {
  await cli?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

interface Assistant extends AsyncDisposable {
  client: Client;
  /** Returns the text of a result, and whether it is an error. */
  call: (name: string, input?: Record<string, unknown>) => Promise<[string, boolean]>;
}

async function connect(options: { args?: string[]; env?: object } = {}): Promise<Assistant> {
  const { apiKey, appUid } = service.app;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli.file, 'mcp', ...(options.args ?? [])],
    env: {
      PATH: process.env['PATH'] ?? '',
      XDG_CONFIG_HOME: cli.folder,
      HERALD_URL: service.apiUrl,
      HERALD_APP_UID: appUid,
      HERALD_API_KEY: apiKey,
      ...options.env,
    },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return {
    client,
    call: async (name, input = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const [first] = content as { text: string }[];
      return [first?.text ?? '', isError === true];
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const changing = ['recover_webhook', 'resend_event', 'skip_delivery', 'sync_webhook'];

test('without --allow-changes only tools that read are offered, and others cannot be called', async () => {
  await using assistant = await connect();
  const { tools } = await assistant.client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    'check_service',
    'explain_delivery',
    'explain_event',
    'find_deliveries',
    'find_events',
    'get_backlog',
    'get_event',
    'get_statistics',
    'list_failures',
    'list_webhooks',
  ]);
  for (const { annotations } of tools)
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  const outcome = assistant.call('resend_event', { eventId }).catch(() => ['', true]);
  expect((await outcome)[1]).toBe(true);
  expect(receiver.requests).toHaveLength(1);
});

test('with --allow-changes each changing tool says that it is destructive', async () => {
  await using assistant = await connect({ args: ['--allow-changes'] });
  const { tools } = await assistant.client.listTools();
  const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
  expect(destructive.map(({ name }) => name).toSorted()).toEqual(changing);
  for (const { description, annotations } of destructive) {
    expect(description).toMatch(/^Destructive: /);
    expect(annotations?.readOnlyHint).toBe(false);
  }
});

test('it finds an event and its delivery, and explains both', async () => {
  await using assistant = await connect();
  const [events] = await assistant.call('find_events', { event: 'agent.updated', limit: 1 });
  expect(JSON.parse(events)).toMatchObject({ events: [{ eventId }] });
  const [event] = await assistant.call('get_event', { eventId });
  expect(JSON.parse(event)).toMatchObject({ payload: { data: { agentName: 'Support' } } });
  const [found] = await assistant.call('find_deliveries', { state: 'exhausted' });
  expect(JSON.parse(found)).toMatchObject({ deliveries: [{ eventId, lastAttempt: { n: 1 } }] });
  const [explained] = await assistant.call('explain_delivery', { eventId, webhookUid });
  const { explanation } = JSON.parse(explained) as { explanation: string[] };
  expect(explanation.join(' ')).toMatch(/responded with 401.*signature/);
  const [why] = await assistant.call('explain_event', { eventId });
  expect(JSON.parse(why)).toMatchObject({
    webhooks: [{ outcome: 'delivery' }, { outcome: 'entity' }],
  });
});

test('no result has a secret: of a webhook, of its credentials, or in its URL', async () => {
  await using assistant = await connect();
  const { tools } = await assistant.client.listTools();
  const inputs: Readonly<Record<string, Record<string, unknown>>> = {
    get_event: { eventId },
    explain_event: { eventId },
    explain_delivery: { eventId, webhookUid },
  };
  for (const { name } of tools) {
    const [text, isError] = await assistant.call(name, inputs[name]);
    expect([name, isError]).toEqual([name, false]);
    for (const hidden of [secret, service.app.apiKey, 'hidden-'])
      expect([name, text.includes(hidden)]).toEqual([name, false]);
  }
});

test('changes count first, and then resend, sync, recover and skip', async () => {
  await using assistant = await connect({ args: ['--allow-changes'] });
  const json = async (name: string, input: Record<string, unknown>) => {
    const [text, isError] = await assistant.call(name, input);
    expect([text, isError]).toEqual([text, false]);
    return JSON.parse(text) as unknown;
  };
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const counted = { dryRun: true, count: 1 };
  expect(
    await json('recover_webhook', { webhookUid, since, states: ['exhausted', 'blocked'] }),
  ).toMatchObject(counted);
  expect(await json('sync_webhook', { webhookUid })).toMatchObject({ dryRun: true });
  const started = await json('sync_webhook', { webhookUid, dryRun: false });
  expect(started).toMatchObject({ state: 'running' });
  await json('resend_event', { eventId });
  await waitFor(() => receiver.requests.length === 2, { what: 'the resent event' });
  await service.call('PATCH', `/webhooks/${webhookUid}`, { body: { active: false } });
  const held = await reportChange(service, { uid: 'agt_2' });
  await waitFor(
    async () => (await service.store.deliveries.findOne({ eventId: held }))?.state === 'held',
    { what: 'the held delivery' },
  );
  const skipped = await json('skip_delivery', { eventId: held, webhookUid });
  expect(skipped).toMatchObject({ state: 'cancelled', cancelReason: 'skipped' });
});

test('wrong input, an unknown ID and an unreachable service are errors that an assistant can read', async () => {
  await using assistant = await connect();
  const [wrong, isWrong] = await assistant.call('find_events', { limit: 51 });
  expect([isWrong, wrong]).toEqual([true, expect.stringContaining('50')]);
  const [missing, isMissing] = await assistant.call('get_event', { eventId: 'evt_none' });
  expect([isMissing, missing]).toEqual([true, expect.stringContaining('there is no such event')]);
  const env = { HERALD_URL: `http://127.0.0.1:${await closedPort()}` };
  await using lost = await connect({ env });
  const [failed, hasFailed] = await lost.call('get_backlog');
  expect([hasFailed, failed]).toEqual([true, expect.stringMatching(/cannot connect|refused/i)]);
});

interface Answer {
  id: unknown;
  result?: { content: { text: string }[]; isError?: true };
  error?: { code: number; message: string };
}

const callOf = (id: number, name: string, input: unknown) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: input },
  });

/** Sends lines, ends the input immediately, and returns the answers by ID. */
async function pipe(lines: readonly string[], ...args: string[]): Promise<Map<unknown, Answer>> {
  const { code, stdout } = await cli.run(['mcp', ...args], { input: lines.join('\n') });
  expect(code).toBe(0);
  const answers = stdout.trim().split('\n');
  return new Map(
    answers.map((line) => {
      const answer = JSON.parse(line) as Answer;
      return [answer.id, answer];
    }),
  );
}

test('what was read is finished and answered if the input ends, also in the middle of a line', async () => {
  const lines = [
    callOf(1, 'find_events', { limit: 1 }),
    callOf(2, 'resend_event', { eventId }),
    callOf(2, 'resend_event', { eventId: 'evt_none' }),
    callOf(3, 'check_service', {}),
  ];
  const { stdout } = await cli.run(['mcp', '--allow-changes'], { input: lines.join('\n') });
  const answers = stdout.split('\n').filter((line) => line !== '');
  const ids = answers.map((line) => String((JSON.parse(line) as Answer).id));
  expect(ids.toSorted((one, other) => one.localeCompare(other))).toEqual(['1', '2', '2', '3']);
  expect(answers.join('\n')).toMatch(/redeliveryUid.*"id":2/);
});

test('null is an absent argument, and numbers, booleans and lists may be texts', async () => {
  const empty = { event: null, resourceUid: null, since: null, until: null, limit: null };
  const lines = [
    callOf(1, 'find_events', empty),
    callOf(2, 'find_events', { limit: '1' }),
    callOf(3, 'get_statistics', { interval: null, webhookUid: null }),
    callOf(4, 'list_webhooks', null),
    callOf(5, 'sync_webhook', { webhookUid, entities: null, dryRun: null }),
    callOf(6, 'sync_webhook', { webhookUid, entities: 'agent', dryRun: 'true' }),
    callOf(7, 'sync_webhook', { webhookUid, entities: '["agent"]', dryRun: 'True' }),
    callOf(8, 'find_deliveries', { limit: ' 1 ' }),
    callOf(9, 'find_deliveries', { limit: '51' }),
    callOf(10, 'sync_webhook', { webhookUid, dryRun: 'no' }),
  ];
  const answers = await pipe(lines, '--allow-changes');
  const refused = [...answers].flatMap(([id, { result }]) => (result?.isError ? [id] : []));
  expect([answers.size, refused]).toEqual([10, [9, 10]]);
  for (const id of [5, 6, 7])
    expect(answers.get(id)?.result?.content[0]?.text).toContain('"dryRun": true');
  const { events } = JSON.parse(answers.get(2)?.result?.content[0]?.text ?? '') as {
    events: unknown[];
  };
  expect(events).toHaveLength(1);
});

test.each([
  ['arguments that are a text', callOf(1, 'find_events', '{}'), 1, -32602],
  ['arguments that are a list', callOf(1, 'find_events', []), 1, -32602],
  ['a call without a tool', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', 1, -32602],
  [
    'a call with null',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}',
    null,
    -32600,
  ],
  ['a line that is not JSON', '{"jsonrpc"', null, -32700],
  ['a line that is not a message', '[]', null, -32600],
])('%s get an error of one sentence', async (...[, line, id, code]) => {
  const answers = await pipe([line, '', callOf(2, 'get_backlog', {})]);
  expect(answers.get(id)?.error).toEqual({ code, message: expect.stringMatching(/^[^{}\n]+$/) });
  expect(answers.get(2)?.result?.isError).toBeUndefined();
});

test.each([
  ['a timeout', { errorClass: 'timeout', status: null }, /within 5 s/],
  ['a refused connection', { errorClass: 'connect', status: null }, /firewall/],
  ['a certificate', { errorClass: 'tls', status: null }, /certificate/],
  ['a 404', { errorClass: 'status', status: 404 }, /path of the URL/],
  ['a 500', { errorClass: 'status', status: 500 }, /responded with 500\.$/],
])('the explanation of %s says what to do', (_what, failure, expected) => {
  const attempts = [
    { n: 1, state: 'exhausted', ms: { total: 1 }, responseHeaders: [], ...failure },
  ];
  const facts = { state: 'exhausted', cancelReason: null, attemptCount: 1, nextAttemptAt: null };
  expect(explainDelivery({ ...facts, attempts } as never).join(' ')).toMatch(expected);
});
