// The examples for Node as a user starts them, with the built files of the receiver and the real service: the one for
// Express, and the one that verifies tokens offline: how soon it refuses a revoked token, and when it does not.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { decodeJwt, type JWTPayload } from 'jose';
import { addApp } from '../../support/add-app.ts';
import { closedPort } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { signIn, verify } from '../../integration/api/token-forge.ts';

const run = promisify(execFile);
const source = 'packages/receiver-ts';

/** Installs an example of `examples/` in a folder of its own, with packages of this repository. */
async function installExample(name: string, packages: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `herald-${name}-`));
  await cp(`examples/${name}`, folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  const receiver = join(modules, '@agent-herald', 'receiver');
  await mkdir(receiver, { recursive: true });
  for (const each of packages) await symlink(resolve('node_modules', each), join(modules, each));
  await cp(join(source, 'package.json'), join(receiver, 'package.json'));
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const out = ['--outDir', join(receiver, 'dist')];
  await run(process.execPath, [compiler, '-p', join(source, 'tsconfig.json'), ...out]);
  return folder;
}

/** Starts the example and waits until it listens. */
async function startExample(folder: string, env: Record<string, string>) {
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  await Promise.race([once(reader, 'line'), closed]);
  return {
    lines,
    url: `http://127.0.0.1:${lines[0]?.replace('listening on ', '')}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await closed;
    },
  };
}

const roundsOfUsers = 100;
const roundsOfApps = 20;

let installed: string;
let service: TestService;
let verifier: Awaited<ReturnType<typeof startExample>>;
let webhookUid: string;
let env: Record<string, string>;

beforeAll(async () => {
  [service, installed] = await Promise.all([
    startService({ env: { HERALD_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s' } }),
    installExample('verifier', ['express', 'jose']),
  ]);
  const { body: webhook } = await service.call('POST', '/webhooks', {
    body: {
      kind: 'operations',
      url: 'http://127.0.0.1:1/hook',
      events: [
        'user.tokens_revoked',
        'user.token_revoked',
        'application.tokens_revoked',
        'application.key_tokens_revoked',
      ],
    },
  });
  webhookUid = String(webhook['uid']);
  env = {
    HERALD_URL: service.apiUrl,
    HERALD_ISSUER: service.config.http.publicUrl,
    HERALD_APP_UID: service.app.appUid,
    HERALD_API_KEY: service.app.apiKey,
    WEBHOOK_SECRET: String(webhook['secret']),
    CLOCK_SKEW_SECONDS: '0',
  };
  verifier = await startExample(installed, env);
  await sendTo(verifier.url);
  // Tokens are checked offline once they are younger than the process.
  await waitFor(async () => (await ask(await signIn(service, { externalId: 'first' }))).offline);
});

afterAll(async () => {
  await verifier?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  await rm(installed, { recursive: true });
});

const sendTo = (url: string) =>
  service.call('PATCH', `/webhooks/${webhookUid}`, { body: { url: `${url}/hook` } });

interface Verdict {
  status: number;
  offline: boolean;
}

async function ask(token: string, at = verifier, origin?: string): Promise<Verdict> {
  const headers = { authorization: `Bearer ${token}`, ...(origin && { origin }) };
  const response = await fetch(`${at.url}/me`, { headers });
  const body = (await response.json()) as { checked?: string };
  return { status: response.status, offline: body.checked === 'offline' };
}

const accepted: Verdict = { status: 200, offline: true };
const refused: Verdict = { status: 401, offline: true };

const revoke = (path: string) => service.call('POST', `/sdkusers${path}/revoke`);

/** Returns the milliseconds from the request of the revocation to the first refusal. */
async function timeRefusal(externalId: string, pathOf: (claims: JWTPayload) => string) {
  const token = await signIn(service, { externalId });
  expect(await ask(token)).toEqual(accepted);
  const startedAtMs = performance.now();
  expect((await revoke(pathOf(decodeJwt(token)))).status).toBe(204);
  while ((await ask(token)).status === 200) {
    if (performance.now() - startedAtMs > 20_000) throw new Error('the token is still accepted');
  }
  return performance.now() - startedAtMs;
}

test('99 of 100 revoked tokens are refused within a second, and later and other tokens are accepted', async () => {
  const other = await signIn(service, { externalId: 'other' });
  const times: number[] = [];
  for (let round = 0; round < roundsOfUsers; round += 1)
    times.push(
      await timeRefusal(`user ${round}`, ({ sub, jti }) =>
        round % 2 === 0 ? `/${sub}/tokens` : `/${sub}/tokens/${jti}`,
      ),
    );
  expect(await ask(other)).toEqual(accepted);
  for (let round = 0; round < roundsOfApps; round += 1)
    times.push(await timeRefusal('user 0', () => '/tokens'));
  expect(await ask(other)).toEqual(refused);
  expect(await ask(await signIn(service, { externalId: 'other' }))).toEqual(accepted);
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (share: number) => Math.ceil(sorted[Math.ceil(share * times.length) - 1] ?? 0);
  const [p50, p99, most] = [quantile(0.5), quantile(0.99), quantile(1)];
  const figures = `p50 ${p50} ms, p99 ${p99} ms, max ${most} ms`;
  process.stdout.write(`revoked to refused, ${times.length} times: ${figures}\n`);
  expect(p99).toBeLessThanOrEqual(1_000);
});

test('while the receiver is unreachable a revoked token is accepted, until the retry arrives', async () => {
  const token = await signIn(service, { externalId: 'late' });
  await sendTo(`http://127.0.0.1:${await closedPort()}`);
  await revoke(`/${decodeJwt(token).sub}/tokens`);
  await waitFor(async () => {
    const path = `/webhooks/${webhookUid}/deliveries?state=retrying`;
    return (await service.call('GET', path)).body['data']?.['length'] === 1;
  });
  expect(await verify(service, token)).toEqual({ active: false, reason: 'revoked' });
  expect(await ask(token)).toEqual(accepted);
  await sendTo(verifier.url);
  await waitFor(async () => (await ask(token)).status === 401);
});

test('a verifier that has just started asks the service, and refuses what was revoked before', async () => {
  const revoked = await signIn(service, { externalId: 'before' });
  await revoke(`/${decodeJwt(revoked).sub}/tokens`);
  const good = await signIn(service, { externalId: 'before' });
  await using started = await startExample(installed, env);
  expect(await ask(good, started)).toEqual({ status: 200, offline: false });
  expect(await ask(revoked, started)).toEqual({ status: 401, offline: false });
});

test('a verifier without the service refuses everything', async () => {
  const token = await signIn(service, { externalId: 'before' });
  const HERALD_URL = `http://127.0.0.1:${await closedPort()}`;
  await using cut = await startExample(installed, { ...env, HERALD_URL });
  expect((await ask(token, cut)).status).toBe(503);
});

test('a token is refused for an origin that it does not name, offline and by the service', async () => {
  const [origin, other] = ['https://app.example.com', 'https://other.example'];
  const useOrigins = (origins: string[] | null) =>
    service.store.apps.updateOne({ _id: service.app.appUid }, { $set: { origins } });
  await useOrigins([origin]);
  const token = await signIn(service, { externalId: 'page' });
  await useOrigins(null);
  await using started = await startExample(installed, env);
  for (const [at, offline] of [[verifier, true] as const, [started, false] as const]) {
    expect(await ask(token, at)).toEqual({ status: 200, offline });
    expect(await ask(token, at, origin)).toEqual({ status: 200, offline });
    expect(await ask(token, at, other)).toEqual({ status: 401, offline });
  }
});

test("another application's token, an altered one and none are refused", async () => {
  const foreign = await signIn(await addApp(service), { externalId: 'foreign' });
  const token = await signIn(service, { externalId: 'altered' });
  for (const each of [foreign, `${token.slice(0, -4)}AAAA`, ''])
    expect((await ask(each)).status).toBe(401);
});

interface Revocations {
  add(data: Record<string, unknown>, now?: number): void;
  refuse(claims: JWTPayload): boolean;
}

async function newRevocations(keepMs: number): Promise<Revocations> {
  const path = pathToFileURL(resolve('examples/verifier/revocations.mjs')).href;
  const module = (await import(path)) as { Revocations: new (keepMs: number) => Revocations };
  return new module.Revocations(keepMs);
}

test('a revocation refuses only lower counts of its own user or application, in any order of events', async () => {
  const revocations = await newRevocations(1_000);
  revocations.add({ uid: 'usr_1', epoch: 2 });
  revocations.add({ uid: 'usr_1', epoch: 1 });
  revocations.add({ uid: 'app_1', epoch: 3 });
  const token = { sub: 'usr_1', app: 'app_1', epoch: 5, appEpoch: 3 };
  expect(revocations.refuse(token)).toBe(false);
  expect(revocations.refuse({ ...token, epoch: 4 })).toBe(true);
  expect(revocations.refuse({ ...token, appEpoch: 2 })).toBe(true);
  expect(revocations.refuse({ ...token, sub: 'usr_2', epoch: 3 })).toBe(false);
  revocations.add({ uid: 'app_1', apiKeyUid: 'key_1' });
  revocations.add({ uid: 'usr_1', tokenUid: 'tok_1' });
  expect(revocations.refuse({ ...token, key: 'key_1' })).toBe(true);
  expect(revocations.refuse({ ...token, jti: 'tok_1' })).toBe(true);
  expect(revocations.refuse({ ...token, key: 'key_2', jti: 'tok_2' })).toBe(false);
});

test('a revocation is forgotten when the last token that it refuses has expired, not before', async () => {
  const revocations = await newRevocations(1_000);
  const token = { sub: 'usr_1', app: 'app_1', epoch: 0, appEpoch: 0 };
  revocations.add({ uid: 'usr_1', epoch: 1 }, 0);
  revocations.add({ uid: 'usr_2', epoch: 1 }, 999);
  expect(revocations.refuse(token)).toBe(true);
  revocations.add({ uid: 'usr_3', epoch: 1 }, 1_000);
  expect(revocations.refuse(token)).toBe(false);
  expect(revocations.refuse({ ...token, sub: 'usr_2' })).toBe(true);
});

test('the example for Express shows a change of an agent, rejects a forgery, and the delivery is delivered', async () => {
  const folder = await installExample('express', ['express']);
  const { body: webhook } = await service.call('POST', '/webhooks', {
    body: { url: 'http://127.0.0.1:1/hook', entities: ['agent'] },
  });
  const secret = { WEBHOOK_SECRET: String(webhook['secret']) };
  await using example = await startExample(folder, secret);
  const { port: PORT } = new URL(example.url);
  const second = { cwd: folder, env: { ...process.env, ...secret, PORT } };
  await expect(run(process.execPath, ['server.mjs'], second)).rejects.toMatchObject({
    stderr: expect.stringMatching(/^listen EADDRINUSE.*; stop the program.* or set PORT\n$/),
  });
  const url = `${example.url}/express`;
  await service.call('PATCH', `/webhooks/${String(webhook['uid'])}`, { body: { url } });
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  const agent = { agentName: 'Support', externalTenantId: 'tenant-1' };
  await service.call('POST', '/agents', { body: agent });
  await waitFor(() => example.lines.length === 2, {
    what: 'the event',
    state: () => example.lines,
  });
  expect(example.lines[1]).toBe('verified agent.created: Support');
  const delivered = `/webhooks/${String(webhook['uid'])}/deliveries?state=delivered`;
  await waitFor(async () => (await service.call('GET', delivered)).body['data']?.['length'] === 1, {
    what: 'the delivery',
  });
  await rm(folder, { recursive: true });
});
