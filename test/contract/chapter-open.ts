// Calls that need no credentials, requests that match no route, and the answers at reached limits.
import { routes } from '../../api/routes.ts';
import { startService } from '../support/service.ts';
import { type Answer, createRecorder, type RecordedCall } from './recorder.ts';
import type { Stage } from './stage.ts';

/** Plays open calls. */
export async function playOpen({ call }: Stage): Promise<void> {
  await call('the process runs', 'GET /healthz');
  await call('the process is ready', 'GET /readyz', { until: ({ status }) => status === 200 });
  const keys = await call('the public keys', 'GET /.well-known/jwks.json');
  const headers = { 'if-none-match': keys.headers.get('etag') };
  await call('keys that the caller has already', 'GET /.well-known/jwks.json', { headers });
  await call('where webhook requests come from', 'GET /.well-known/webhook-sources.json');
  await call('the public keys of webhooks', 'GET …/.well-known/webhook-keys.json');
  await call('where verifiers find the keys', 'GET /.well-known/openid-configuration');
  await call('the page on migration', 'GET /docs/migration');
  await call('the index for assistants', 'GET /llms.txt');
  // Not its body, which is a document.
  await call('a document', 'GET /docs/limits.md', { headers: { 'if-none-match': '*' } });
  await call('a document that is not served', 'GET /docs/deployment.md');
  // Not its body: docs/openapi.json is a record of its own.
  const any = { 'if-none-match': '*' };
  await call('the contract, for those who have it', 'GET /openapi.json', { headers: any });
  await call('the pages of the contract', 'GET /docs');
  await call('the program of the pages', 'GET /docs/scalar.js');
  await call('the retired flow', 'POST /api-authenticate-embedded-user', { body: {} });
  await call('a path that nothing is at', 'GET /nothing');
  await call('a path of an application that nothing is at', 'GET …/nothing');
  await call('a method that a path does not take', 'PUT …/agents', { body: {} });
  await call('a GET on a path that takes a POST only', 'GET …/sdkusers/auth');
  await call('the head of a list', 'HEAD …/agents');
  await playCredentials(call);
  await playBodies(call);
}

async function playCredentials(call: Stage['call']): Promise<void> {
  const both = { authorization: 'Bearer ahk_x' };
  await call('two credentials', 'GET …/agents', { headers: both });
  const unknown = { 'x-api-key': 'ahk_unknown' };
  await call('a key that nobody has', 'GET …/agents', { headers: unknown });
  const foreign = 'GET /api/v1/appuid/app_00000000000000000000000000/agents';
  await call('an application without a key', foreign);
  const long = { 'x-long': 'x'.repeat(17 * 1_024) };
  await call('headers that are too long', 'GET …/agents', { headers: long });
}

async function playBodies(call: Stage['call']): Promise<void> {
  const request = 'POST …/agents';
  await call('a body that is no JSON', request, { body: '{' });
  await call('a body with a key twice', request, { body: '{"a":1,"a":2}' });
  await call('a body of another type', request, {
    body: 'a=1',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  await call('a body that is compressed', request, {
    body: '{}',
    headers: { 'content-encoding': 'gzip' },
  });
  await call('a body that is too long', request, { body: { agentName: 'a'.repeat(256 * 1_024) } });
  await call('a parameter that is not known', 'GET …/agents?nmae=1');
  await call('a parameter given twice', 'GET …/agents?limit=1&limit=2');
  await call('a limit out of its range', 'GET …/agents?limit=201');
  await call('a cursor of another list', 'GET …/agents?cursor=abc');
}

// A fixed clock keeps all counts in one minute; an hour ahead, the database expires none meanwhile.
const standing = new Date(Date.now() + 3_600_000);
const isLimited = { until: ({ status }: Answer) => status === 429 };

/** Plays the answers at reached limits, with a service of its own: small limits and a fixed clock. */
export async function playLimits(): Promise<RecordedCall[]> {
  await using service = await startService({
    worker: false,
    clock: { now: () => standing },
    env: {
      HERALD_KEY_REQUESTS_PER_MINUTE: '20',
      HERALD_FAILURES_PER_MINUTE: '5',
      HERALD_USER_SIGN_INS_PER_MINUTE: '3',
      HERALD_WEBHOOKS_PER_APP: '1',
    },
  });
  const { calls, call, prepare } = createRecorder(service, routes);
  const user = { body: { externalId: 'user-1' } };
  await call('too many sign-ins of a user', 'POST …/sdkusers/auth', { ...user, ...isLimited });
  const webhook = { body: { url: 'http://127.0.0.1:9/', entities: ['agent'] } };
  await prepare('POST …/webhooks', webhook);
  await call('too many webhooks', 'POST …/webhooks', webhook);
  await call('too many calls of a key', 'GET …/agents', isLimited);
  const wrong = { ...isLimited, headers: { 'x-api-key': 'ahk_unknown' } };
  await call('too many credentials that were refused', 'GET …/agents', wrong);
  const admin = { body: { email: 'ada@example.com', password: 'wrong' } };
  await call('too many failed sign-ins', 'POST /admin/api/session', { ...admin, ...isLimited });
  return calls;
}
