// Every secret of the service is used in good and bad requests to real processes. Then their logs, responses, database,
// traces and requests are searched for it.
import { newWebhookSecret } from '../../lib/webhooks/signature.ts';
import { createAdmin } from '../../lib/access/create-admin.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { cookieOf, sessionHeaders } from '../support/admin-client.ts';
import { type Answer, type CallOptions, createApiClient } from '../support/api-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { ClientPair } from '../support/certificates.ts';
import { type CertifiedReceiver, startCertifiedReceiver } from '../support/certified-receiver.ts';
import { type Answering, type Receiver, startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import {
  clientId,
  clientSecret,
  startIdentityProvider,
  type TestProvider,
} from '../support/identity-provider.ts';
import { startTraceCollector, type TraceCollector } from '../support/trace-collector.ts';
import { waitFor } from '../support/wait-for.ts';
import { connectTemporal } from '../../worker/connect-temporal.ts';
import {
  bearerToken,
  headerValue,
  misplaced,
  receiverPassword,
  useCredentials,
} from './canary-credentials.ts';

const email = 'canary@example.com';
const password = 'canary of the first coal mine';
const newPassword = 'canary of the second coal mine';
// In the URL of a webhook, which is stored and shown as it is.
const inAddress = 'canary-in-the-address-of-a-webhook';

const open = new Disposal();
let installation: Installation;
let api: RoleProcess;
let worker: RoleProcess;
let receiver: Receiver;
/** Receives the credentials, so its requests are not searched. */
let trusted: CertifiedReceiver;
let clientPair: ClientPair;
let provider: TestProvider;
let collector: TraceCollector;
const answers: Answer[] = [];

// Makes attempts fail, so that retries and their errors are searched, too.
const failFirst: Answering = (response, request) => {
  response.writeHead(request.headers['x-webhook-attempt'] === '1' ? 500 : 200).end('thanks');
};

// Repeats headers, as public test services do.
const repeatHeaders: Answering = (response, { headers }) => {
  response.writeHead(headers['x-webhook-attempt'] === '1' ? 500 : 200);
  response.end(JSON.stringify(headers));
};

beforeAll(async () => {
  provider = open.use(await startIdentityProvider());
  collector = open.use(await startTraceCollector());
  installation = open.use(
    await createInstallation({
      HERALD_OIDC_ISSUER: provider.issuer,
      HERALD_OIDC_CLIENT_ID: clientId,
      HERALD_OIDC_CLIENT_SECRET: clientSecret,
      HERALD_TRACE_SAMPLING: '1',
      ...collector.env,
    }),
  );
  receiver = open.use(await startReceiver(failFirst));
  trusted = open.use(await startCertifiedReceiver(repeatHeaders));
  clientPair = trusted.issue('canary');
  const env = { ...installation.env, HERALD_LOG_LEVEL: 'trace', ...trusted.env };
  api = open.use(await startRole('api', env));
  worker = open.use(await startRole('worker', env));
  await createAdmin(installation.store, { email, password, superuser: true });
});

afterAll(() => open[Symbol.asyncDispose]());

async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
  const answer = await client.raw(method, path, { headers: {}, ...options });
  answers.push(answer);
  return answer;
}

/** The secrets that were shown once. */
interface Shown {
  adminKey: string;
  rolledKey: string;
  webhookSecret: string;
  rotatedSecret: string;
  session: string;
  /** The session after the password change. */
  laterSession: string;
  authToken: string;
}

type Misused = Omit<Shown, 'laterSession'>;

async function useEverything(): Promise<Shown> {
  const signedIn = await call('POST', '/admin/api/session', { body: { email, password } });
  const session = cookieOf(signedIn).split('=')[1] ?? '';
  const admin = sessionHeaders(signedIn);
  const keys = `/admin/api/apps/${installation.app.appUid}/keys`;
  const scopes = ['users:auth', 'webhooks:write', 'webhooks:read', 'resources:write', 'admin'];
  const key = await call('POST', keys, { headers: admin, body: { name: 'Canary', scopes } });
  const adminKey = String(key.body['apiKey']);
  const path = `${keys}/${String(key.body['uid'])}/roll`;
  const headers = { ...admin, 'idempotency-key': 'roll-1' };
  const rolled = await call('POST', path, { headers, body: { overlapSeconds: 3_600 } });

  const app = `/api/v1/appuid/${installation.app.appUid}`;
  const withKey = { 'x-api-key': adminKey };
  const hook = {
    url: `${receiver.url}/${inAddress}?key=${inAddress}`,
    entities: ['agent'],
    retrySchedule: ['1s'],
  };
  const webhook = await call('POST', `${app}/webhooks`, { headers: withKey, body: hook });
  const webhookPath = `${app}/webhooks/${String(webhook.body['uid'])}`;
  const rotated = await call('POST', `${webhookPath}/secret/rotate`, {
    headers: withKey,
    body: { secret: newWebhookSecret() },
  });
  const url = `${trusted.url}/hook`;
  await useCredentials({ call, path: `${app}/webhooks`, withKey, url, clientPair });
  const user = { externalId: 'user-1', name: 'Ada' };
  const auth = await call('POST', `${app}/sdkusers/auth`, { headers: withKey, body: user });
  const agent = { agentName: 'A', externalTenantId: 't' };
  await call('POST', `${app}/agents`, { headers: withKey, body: agent });
  await call('POST', `${webhookPath}/test`, { headers: withKey, body: {} });

  const shown: Misused = {
    adminKey,
    rolledKey: String(rolled.body['apiKey']),
    webhookSecret: String(webhook.body['secret']),
    rotatedSecret: String(rotated.body['secret']),
    session,
    authToken: String(auth.body['authToken']),
  };
  await readEverything(app, keys, { admin, withKey, webhookPath });
  await misuseEverything(app, shown, admin);
  const change = { currentPassword: password, newPassword };
  const changed = await call('POST', '/admin/api/password', { headers: admin, body: change });
  await call('DELETE', '/admin/api/session', { headers: sessionHeaders(changed) });
  return { ...shown, laterSession: cookieOf(changed).split('=')[1] ?? '' };
}

async function readEverything(
  app: string,
  keys: string,
  {
    admin,
    withKey,
    webhookPath,
  }: Record<'admin' | 'withKey', Record<string, string>> & {
    webhookPath: string;
  },
): Promise<void> {
  await call('GET', keys, { headers: admin });
  await call('GET', '/admin/api/session', { headers: admin });
  await call('GET', '/admin/api/audit-log', { headers: admin });
  await call('GET', `${app}/audit-log`, { headers: withKey });
  await call('GET', `${app}/webhooks`, { headers: withKey });
  await call('GET', webhookPath, { headers: withKey });
}

/** Puts secrets where clients may put them by mistake. */
async function misuseEverything(
  app: string,
  shown: Misused,
  admin: Record<string, string>,
): Promise<void> {
  const { adminKey, webhookSecret, authToken, session } = shown;
  const encoded = encodeURIComponent(webhookSecret);
  await call('GET', `${app}/agents`, { headers: { authorization: `Basic ${adminKey}` } });
  await call('GET', `${app}/agents`, {
    headers: { 'x-api-key': adminKey, authorization: `Bearer ${adminKey}` },
  });
  await call('GET', `${app}/agents?apiKey=${adminKey}&secret=${encoded}`);
  await call('GET', `/${adminKey}`);
  await call('GET', `/api/v1/appuid/${adminKey}/agents`, { headers: { 'x-api-key': adminKey } });
  await call('GET', `${app}/webhooks/${adminKey}`, { headers: { 'x-api-key': adminKey } });
  await call('GET', `/token/${authToken}`);
  await call('GET', `${app}/agents`, { headers: { authorization: `Bearer ${authToken}` } });
  await call('GET', `${app}/agents`, { headers: { 'x-api-key': `${adminKey.slice(0, -1)}!` } });
  const headers = { 'x-api-key': adminKey };
  await call('POST', `${app}/agents`, { headers, body: `{"agentName":"${adminKey}"` });
  await call('POST', `${app}/agents`, { headers, body: { agentName: [adminKey, webhookSecret] } });
  await call('POST', `${app}/webhooks`, {
    headers,
    body: { url: `https://${adminKey}:x@example.com/`, entities: ['agent'] },
  });
  await call('GET', `${app}/agents?cursor=${adminKey}`, { headers });
  for (const [given, word] of [
    [email, newPassword],
    [password, password],
    ['nobody@example.com', password],
  ]) {
    await call('POST', '/admin/api/session', { body: { email: given, password: word } });
  }
  await call('POST', '/admin/api/session', { body: `{"email":"${email}","password":"${password}` });
  await call('POST', '/admin/api/session', { body: { email, password: [password] } });
  await call('GET', '/admin/api/session', {
    headers: { cookie: `__Host-herald_admin=${session}x` },
  });
  await call('DELETE', '/admin/api/session', { headers: { cookie: admin['cookie'] ?? '' } });
  // A code unknown to the provider, with the cookie of a real sign-in.
  const url = `http://127.0.0.1:${api.port}/admin/api/oidc/start`;
  const start = await fetch(url, { redirect: 'manual' });
  const state = new URL(start.headers.get('location') ?? '').searchParams.get('state');
  const cookie = start.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const callback = `/admin/api/oidc/callback?code=unknown&state=${state}`;
  await call('GET', callback, { headers: { cookie } });
  const wrong = { currentPassword: newPassword, newPassword: password };
  await call('POST', '/admin/api/password', { headers: admin, body: wrong });
}

/** Returns the whole database as text: strings as they are, bytes both as text and as base64. */
async function databaseText(): Promise<string> {
  const { db } = installation.store;
  const texts: string[] = [];
  for (const { name } of await db.listCollections().toArray()) {
    for await (const row of db.collection(name).find({})) texts.push(textOf(row));
  }
  return texts.join('\n');
}

/** Returns every history of the namespace as text, with decoded payloads. */
async function historiesText(): Promise<string> {
  await using temporal = await connectTemporal(installation.config.temporal);
  const texts: string[] = [];
  for await (const { workflowId } of temporal.client.workflow.list()) {
    const handle = temporal.client.workflow.getHandle(workflowId);
    texts.push(textOf(await handle.fetchHistory()));
  }
  expect(texts.length).toBeGreaterThan(1);
  const text = texts.join('\n');
  // The type of a workflow is in plain text, and its input is in a payload.
  expect(text).toContain('deliverEvents');
  expect(text).toMatch(/"appUid":"app_/);
  return text;
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value);
    return `${bytes.toString('utf8')} ${bytes.toString('base64')}`;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, item]) => `${key}: ${textOf(item)}`)
    .join('\n');
}

test('no secret is logged, stored, sent, kept in a history or returned a second time', async () => {
  const shown = await useEverything();
  await waitFor(() => receiver.requests.some((one) => one.headers['x-webhook-attempt'] === '2'), {
    what: 'the second attempt',
  });
  await waitFor(() => trusted.requests.some((one) => one.headers['x-webhook-attempt'] === '2'), {
    what: 'the second attempt with credentials',
  });
  const [arrived] = trusted.requests;
  expect(arrived?.headers).toMatchObject({
    authorization: `Bearer ${bearerToken}`,
    'x-canary': headerValue,
  });
  await api.end('SIGTERM');
  await worker.end('SIGTERM');

  const { HERALD_KEY_PEPPER = '', HERALD_SECRET_KEYS = '' } = installation.env;
  const sealingKey = HERALD_SECRET_KEYS.split(':')[1] ?? '';
  const secrets: Record<string, string> = {
    adminKey: shown.adminKey.slice(17),
    rolledKey: shown.rolledKey.slice(17),
    webhookSecret: shown.webhookSecret.slice(6),
    rotatedSecret: shown.rotatedSecret.slice(6),
    session: shown.session,
    laterSession: shown.laterSession,
    authToken: shown.authToken.split('.')[2] ?? '',
    password,
    newPassword,
    pepper: HERALD_KEY_PEPPER,
    clientSecret,
    headerValue,
    bearerToken,
    receiverPassword,
    clientKey: clientPair.key.split('\n')[2] ?? '',
    sealingKey,
    sealingKeyInHex: Buffer.from(sealingKey, 'base64').toString('hex'),
  };
  expect(provider.refusals).toEqual(['unknown code']);
  const log = api.output() + worker.output();
  expect(log).toContain('request.completed');
  expect(log).toContain('delivery.attempted');
  expect(log).not.toContain(misplaced);
  const answered = answers.map(({ headers, text }) => JSON.stringify([...headers]) + text);
  const texts: Record<string, string> = {
    log,
    database: await databaseText(),
    histories: await historiesText(),
    traces: collector.text(),
    requests: receiver.requests.map((one) => one.rawHeaders.join('\n') + String(one.body)).join(),
  };
  const spans = collector.spans.map(({ name }) => name);
  expect(spans).toEqual(expect.arrayContaining(['attempt delivery', 'tls handshake', 'GET']));
  expect(texts['traces'] + log).not.toContain(inAddress);
  expect(texts['database']).toContain(shown.adminKey.slice(4, 16));
  const found: string[] = [];
  for (const [name, secret] of Object.entries(secrets)) {
    expect([name, secret.length >= 25]).toEqual([name, true]);
    for (const form of [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')]) {
      for (const [source, text] of Object.entries(texts)) {
        if (text.includes(form)) found.push(`${name} in the ${source}`);
      }
    }
    const times = answered.filter((text) => text.includes(secret)).length;
    const isShownOnce = Object.hasOwn(shown, name);
    if (times !== (isShownOnce ? 1 : 0)) found.push(`${name} in ${times} answers`);
  }
  expect(found).toEqual([]);
});
