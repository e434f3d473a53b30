// The command line against the service: its output and exit codes.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newWebhookSecret } from '../../../lib/webhooks/signature.ts';
import { Verifier } from '../../../packages/receiver-ts/src/index.ts';
import { buildCommandLine, type CommandLine } from '../../support/command-line.ts';
import { closedPort, type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook } from '../../support/webhook-calls.ts';
import { makeKey } from '../../integration/api/problems.ts';
import { rowOf, signIn } from '../../integration/api/token-forge.ts';

let service: TestService;
let receiver: Receiver;
let cli: CommandLine;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => void response.end());
  cli = await buildCommandLine({
    HERALD_URL: service.apiUrl,
    HERALD_APP_UID: service.app.appUid,
    HERALD_API_KEY: service.app.apiKey,
  });
});
afterAll(async () => {
  await cli?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await cli.run(args);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function makeAgent(agentName = 'Support', externalTenantId = 'tenant-1'): Promise<string> {
  const answer = await service.call('POST', '/agents', { body: { agentName, externalTenantId } });
  return String(answer.body['uid']);
}

test('login stores a working key in a file that only its owner can read', async () => {
  const env = { HERALD_URL: '', HERALD_APP_UID: '', HERALD_API_KEY: '' };
  const target = ['--url', service.apiUrl, '--app', service.app.appUid];
  const wrong = await cli.run(['login', ...target], { env, input: 'ahk_wrong\n' });
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('unauthenticated') });
  expect(await cli.run(['events', 'list'], { env })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('run agent-herald login'),
  });
  const login = ['login', '--profile', 'mine', ...target];
  const { code } = await cli.run(login, { env, input: `${service.app.apiKey}\n` });
  expect(code).toBe(0);
  const file = join(cli.folder, 'agent-herald', 'config.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const listed = await cli.run(['webhooks', 'list', '--profile', 'mine'], { env });
  expect(listed).toMatchObject({ code: 0, stdout: '[]\n' });
});

test('events are listed, shown with their deliveries, and sent again', async () => {
  const { uid } = await json('webhooks', 'create', receiver.url, '--entity', 'agent');
  const resource = await makeAgent();
  await waitFor(() => receiver.requests.length === 1, { what: 'the delivery' });
  const listing = ['events', 'list', '--resource', resource, '--since', '10m'];
  const [event] = (await json(...listing)) as unknown as { eventId: string }[];
  const eventId = event?.eventId ?? '';
  const table = await cli.run([...listing, '--table']);
  expect(table.stdout).toMatch(/^time +event +resource +tenant +eventId\n/);
  expect(table.stdout).toMatch(new RegExp(`agent.created +${resource} +tenant-1 +${eventId}\n$`));
  await waitFor(
    async () => {
      const { deliveries } = await json('events', 'show', eventId);
      return (deliveries as { state: string }[])[0]?.state === 'delivered';
    },
    { what: 'the record of the delivery' },
  );
  expect(await json('events', 'resend', eventId)).toMatchObject({ webhookUids: [uid] });
  await waitFor(() => receiver.requests.length === 2, { what: 'the second delivery' });
  expect(await cli.run(['events', 'show', 'evt_none'])).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringMatching(/^error: .*\(not_found, request /),
  });
});

test('an event says why it reached a webhook, and one of its deliveries is skipped', async () => {
  const away = `http://127.0.0.1:${await closedPort()}/`;
  const { uid } = await json('webhooks', 'create', away, '--entity', 'agent', '--tenant', 'skip');
  const resource = await makeAgent('Skipped', 'skip');
  const listing = ['events', 'list', '--resource', resource];
  const [event] = (await json(...listing)) as unknown as { eventId: string }[];
  const eventId = event?.eventId ?? '';
  const why = (await json('events', 'why', eventId)) as unknown as { webhookUid: string }[];
  expect(why.find(({ webhookUid }) => webhookUid === uid)).toMatchObject({ outcome: 'delivery' });
  expect(await json('events', 'skip', eventId, String(uid))).toMatchObject([
    { state: 'cancelled', cancelReason: 'skipped' },
  ]);
  await service.call('DELETE', `/webhooks/${String(uid)}`);
});

test('webhooks are paused, resumed, tested and rotated, and their deliveries are listed', async () => {
  const [first, second] = [newWebhookSecret(), newWebhookSecret()];
  const file = join(cli.folder, 'secret');
  await writeFile(file, `${first}\n`);
  const own = ['--cloud-events', '--secret-file', file];
  const made = await json('webhooks', 'create', receiver.url, '--event', 'context.created', ...own);
  const shown = { entities: ['context'], events: ['context.created'], cloudEvents: true };
  expect(made).toMatchObject({ ...shown, secret: first });
  const uid = String(made['uid']);
  const told = await json('webhooks', 'create', receiver.url, '--event', 'webhook.failing');
  const of = { kind: 'operations', entities: [], events: ['webhook.failing'] };
  expect(told).toMatchObject(of);
  await service.call('DELETE', `/webhooks/${String(told['uid'])}`);
  expect(await json('webhooks', 'pause', uid)).toMatchObject({ active: false });
  expect(await json('webhooks', 'resume', uid)).toMatchObject({ active: true });
  expect(await json('webhooks', 'test', uid)).toMatchObject({
    state: 'delivered',
    lastAttempt: expect.stringMatching(/^200 in \d+ ms$/),
  });
  const rotated = await json('webhooks', 'rotate', uid, '--overlap', '60');
  expect(rotated['secret']).not.toBe(first);
  const rotate = ['webhooks', 'rotate', uid, '--overlap', '0', '--secret-file', '-'];
  const piped = await cli.run(rotate, { input: `${second}\n` });
  expect(JSON.parse(piped.stdout)).toMatchObject({ secret: second });
  const refused = await cli.run(rotate, { input: second });
  expect(refused.stderr).toContain('secret must differ from the old secrets');
  expect(await json('webhooks', 'deliveries', uid)).toMatchObject([{ event: 'webhook.test' }]);
  const away = `http://127.0.0.1:${await closedPort()}/`;
  const broken = await json('webhooks', 'create', away, '--entity', 'context');
  expect(await cli.run(['webhooks', 'test', String(broken['uid'])])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the test delivery is exhausted: connect: '),
  });
  const recover = ['webhooks', 'recover', String(broken['uid']), '--since', '1h'];
  const waiting = await json(...recover, '--state', 'exhausted', 'retrying', '--dry-run');
  expect(waiting).toMatchObject({ count: 0, nextAttemptAt: null });
  const watched = await cli.run([...recover, '--watch']);
  expect(watched.stdout).toContain('"state":"done"');
  await service.call('DELETE', `/webhooks/${String(broken['uid'])}`);
});

test('a replay is counted, started, watched and cancelled', async () => {
  const since = ['--since', '1h'];
  expect(await json('replays', 'create', ...since, '--dry-run')).toMatchObject({ dryRun: true });
  const { uid } = await json('replays', 'create', ...since, '--state', 'exhausted');
  const watched = await cli.run(['replays', 'watch', String(uid)]);
  const lines = watched.stdout.trim().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ uid, state: 'done' });
  expect(await json('replays', 'cancel', String(uid))).toMatchObject({ uid });
});

test('the tokens of a user are listed, and one is revoked', async () => {
  const { _id } = await rowOf(service, await signIn(service, { externalId: 'user-1' }));
  const [userUid = '', tokenUid = ''] = _id.split('/');
  expect(await json('users', 'tokens', userUid)).toMatchObject([{ uid: tokenUid }]);
  const revoked = await json('users', 'revoke-token', userUid, tokenUid);
  expect(revoked).toEqual({ revoked: tokenUid });
  expect(await json('users', 'tokens', userUid)).toEqual([]);
});

test('a sync is counted, started, watched and cancelled', async () => {
  await makeAgent('Copied', 'tenant-sync');
  const { uid: webhookUid } = await json('webhooks', 'create', receiver.url, '--entity', 'agent');
  const sync = ['sync', String(webhookUid)];
  const only = ['--entity', 'agent', '--tenant', 'tenant-sync', '--per-second', '1'];
  expect(await json(...sync, ...only, '--dry-run')).toMatchObject({ dryRun: true, count: 1 });
  const { uid } = await json(...sync, ...only);
  expect(await json('sync', 'cancel', String(uid))).toMatchObject({ uid, state: 'cancelled' });
  expect(await json('sync', 'watch', String(uid))).toMatchObject({ uid, state: 'cancelled' });
  await service.call('DELETE', `/webhooks/${String(webhookUid)}`);
});

test('a replay sends deliveries cancelled on purpose, delivered or never attempted only if they are named', async () => {
  const replay = ['replays', 'create', '--since', '1h'];
  const states = ['exhausted', 'blocked', 'cancelled'];
  const lost = { states, cancelReasons: ['expired', 'abandoned'] };
  expect(await json(...replay)).toMatchObject(lost);
  const named = await json(...replay, '--cancel-reason', 'discarded', 'unsubscribed');
  expect(named).toMatchObject({ states, cancelReasons: ['discarded', 'unsubscribed'] });
  const late = await json('webhooks', 'create', receiver.url, '--entity', 'agent');
  const others = ['never_attempted', 'delivered'];
  const ofOne = await json(...replay, '--webhook', String(late['uid']), '--state', ...others);
  expect(ofOne).toMatchObject({ states: others });
  await service.call('DELETE', `/webhooks/${String(late['uid'])}`);
});

test('listen sends the events of a trigger, signed like those of a webhook, within 300 ms', async () => {
  await using local = await startReceiver((response) => void response.end());
  const to = ['--forward-to', `${local.url}/hook`, '--event', 'agent.created', 'agent.deleted'];
  await using listening = await cli.start(['listen', ...to, '--tenant', 'tenant-9'], 'connected');
  const shown = listening.stderr.join('\n');
  const [kept = ''] = /whsec_\S+/.exec(shown) ?? [];
  await makeAgent('Other', 'tenant-8');
  const tookMsMax = 300;
  const tookMs: number[] = [];
  for (let count = 1; count <= 20 && !(Math.min(...tookMs) < tookMsMax); count += 1) {
    const startedAt = performance.now();
    await makeAgent('Support', 'tenant-9');
    await waitFor(() => local.requests.length === count, { what: 'the delivery' });
    tookMs.push(performance.now() - startedAt);
  }
  // The quickest, because other tests keep the machine busy.
  expect(Math.min(...tookMs)).toBeLessThan(tookMsMax);
  const made = await json('trigger', 'agent.updated', '--tenant', 'tenant-9');
  expect(made['events']).toEqual(['agent.created', 'agent.updated', 'agent.deleted']);
  const lineCount = tookMs.length + 2;
  await waitFor(() => listening.stdout.length === lineCount, { what: 'a line for each' });
  const printed = listening.stdout.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(printed.slice(-3).map(({ event, status }) => [event, status])).toEqual([
    ['agent.created', 200],
    ['agent.created', 200],
    ['agent.deleted', 200],
  ]);
  const verifier = new Verifier({ secrets: kept });
  for (const { headers, body } of local.requests) {
    const delivery = await verifier.verify({ headers, body });
    expect(delivery).toMatchObject({ attempt: 1, isTest: false });
  }
  expect(await listening.stop()).toBe(0);
});

/** Reports a change of an agent as it is written, with `text` among its fields. */
async function report(text: string): Promise<void> {
  const { appUid, apiKey } = service.app;
  const response = await fetch(`${service.apiUrl}/api/v1/appuid/${appUid}/changes`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: `{"event":"agent.updated","data":{"externalTenantId":"t",${text},"uid":"agt_1"}}`,
  });
  expect([response.status, await response.text()]).toEqual([202, expect.any(String)]);
}

const bodiesOf = ({ requests }: Receiver) => requests.map(({ body }) => body.toString()).toSorted();

test('listen forwards the bytes of a delivery, with signatures over them', async () => {
  await using hook = await startReceiver((response) => void response.end());
  await using local = await startReceiver((response) => void response.end());
  const { uid } = await registerWebhook(service, { url: hook.url });
  const listen = ['listen', '--forward-to', `${local.url}/hook`, '--secret', secret];
  await using listening = await cli.start([...listen, '--print-json'], 'connected');
  const fields = [
    '"numbers":[1.10,-0,1e3,0.10000000000000001]',
    '"b":1,"a":2,"10":3,"9":4',
    '"text":"\\u00e9 \\/ \u2028 é"',
    '"spaces" : [ 1 ,\t2 ]',
    '"lines":\r\n[\n1,\r2\n]',
    '"quoted":"\\",\\"payload\\":{}"',
  ];
  for (const field of fields) await report(field);
  await waitFor(() => hook.requests.length === fields.length, { what: 'the deliveries' });
  await waitFor(() => local.requests.length === fields.length, { what: 'the forwarded events' });
  expect(bodiesOf(local)).toEqual(bodiesOf(hook));
  for (const scheme of ['standard', 'body-only'] as const) {
    const verifier = new Verifier({ secrets: secret, scheme });
    for (const { headers, body } of local.requests) await verifier.verify({ headers, body });
  }
  const namesOf = ({ requests }: Receiver) =>
    Object.keys(requests[0]?.headers ?? {})
      .filter((name) => /^(x-)?webhook-/.test(name))
      .toSorted();
  expect(namesOf(local)).toEqual(namesOf(hook).filter((name) => name !== 'x-webhook-uid'));
  await waitFor(() => listening.stdout.length === fields.length, { what: 'a line for each' });
  expect(listening.stdout[0]).toContain('"numbers":[1.10,-0,1e3,0.10000000000000001]');
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('listen shows why a receiver did not accept an event', async () => {
  const port = await closedPort();
  const args = ['listen', '--forward-to', `localhost:${port}`, '--secret', secret, '--table'];
  await using listening = await cli.start([...args, '--print-json'], 'connected');
  await json('trigger', 'contextfile.updated');
  await waitFor(() => listening.stdout.some((line) => line.includes('"context.deleted"')), {
    what: 'the last event',
  });
  expect(listening.stderr.join('\n')).toMatch(/context.created +✗ ECONNREFUSED in \d+ ms +ctx_/);
  expect(listening.stdout[0]).toBe('{');
  expect(listening.stdout.join('\n')).toContain('"contextName": "Made by agent-herald trigger"');
});

test('tail shows events as they are committed, and ends with Ctrl-C', async () => {
  await using tail = await cli.start(['events', 'tail', '--entity', 'context'], 'connected');
  const { resourceUid } = await json('trigger', 'context.created');
  const events = () =>
    tail.stdout
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((event) => event['resourceUid'] === resourceUid);
  await waitFor(() => events().length === 2, { what: 'two events', state: () => tail.stdout });
  expect(events().map(({ event }) => event)).toEqual(['context.created', 'context.deleted']);
  expect(await tail.stop()).toBe(0);
});

test('doctor finds problems of webhooks and the key', async () => {
  const well = await cli.run(['doctor', '--table']);
  expect(well.stdout).toMatch(/service +ok +version 0\.1\.0/);
  expect(well.stdout).toMatch(/clock +ok/);
  expect(well.stdout).toMatch(/key +ok +scopes: users:auth, .*admin\n/);
  expect(well.stdout).toMatch(/webhook whk_\w+ +ok +http:\S+: 200 in \d+ ms/);
  expect(well.code).toBe(0);
  const env = { HERALD_API_KEY: await makeKey(service, { scopes: ['webhooks:read'] }) };
  const poor = await cli.run(['doctor', '--table'], { env });
  expect(poor.stdout).toMatch(/key +ok +scopes: webhooks:read\n/);
  expect(poor.stdout).toMatch(/was not tested: the key lacks permission/);
  await json('webhooks', 'create', `http://127.0.0.1:${await closedPort()}/`);
  const broken = await cli.run(['doctor']);
  expect(broken.code).toBe(1);
  const [announced, ...errors] = broken.stderr.trimEnd().split('\n');
  expect(announced).toMatch(/^sending \d+ test events to .+; --no-webhooks sends none$/);
  expect(errors).toEqual(['error: 1 check failed']);
  expect((await cli.run(['doctor', '--no-webhooks'])).stderr).toBe('');
});

test('an unavailable service and a key without the scope have exit codes', async () => {
  const away = { HERALD_URL: `http://127.0.0.1:${await closedPort()}` };
  expect(await cli.run(['events', 'list'], { env: away })).toMatchObject({ code: 5 });
  const env = { HERALD_API_KEY: await makeKey(service, { scopes: ['webhooks:read'] }) };
  expect(await cli.run(['events', 'list'], { env })).toMatchObject({ code: 3 });
});

test('the settings never contain a key that was not logged in', async () => {
  const text = await readFile(join(cli.folder, 'agent-herald', 'config.json'), 'utf8');
  expect(Object.keys(JSON.parse(text) as object)).toEqual(['profiles', 'listenSecret']);
  await writeFile(join(cli.folder, 'agent-herald', 'config.json'), '{');
  expect((await cli.run(['listen', '--forward-to', 'localhost:1'])).stderr).toContain(
    'cannot be read',
  );
});
