// From the retired call to a token, by the steps in docs/migration.md.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTestAdmin, type TestAdmin } from '../support/admin-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectProblem } from '../integration/api/problems.ts';

let service: TestService;
let admin: TestAdmin;
// The page in the repository. The first test compares it with the one that the service shows.
const page = readFileSync('docs/migration.md', 'utf8');

beforeAll(async () => {
  service = await startService({ worker: false });
  admin = await makeTestAdmin(service, { superuser: true });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test('the retired call responds to any body with a link to the migration page, which the service serves', async () => {
  for (const body of [{}, { email: 'ada@example.com', key: 'legacy' }, 'not json']) {
    const answer = await service.raw('POST', '/api-authenticate-embedded-user', {
      headers: { host: 'legacy.example.com' },
      body,
    });
    expectProblem(answer, 410, 'legacy_auth_retired');
    const [, link = ''] = /^<([^>]+)>/.exec(answer.headers.get('link') ?? '') ?? [];
    const { pathname } = new URL(link);
    const shown = await service.raw('GET', pathname, { headers: {} });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([
      200,
      'text/markdown; charset=utf-8',
    ]);
    expect(shown.text).toBe(page);
  }
});

test('one call with a key with the scope users:auth returns a token of the user', async () => {
  const { appUid } = service.app;
  const made = await service.raw('POST', `/admin/api/apps/${appUid}/keys`, {
    headers: admin.headers,
    body: { name: 'Back end', scopes: ['users:auth'] },
  });
  expect(made.status).toBe(201);
  const apiKey = String(made.body['apiKey']);
  expect(apiKey).toMatch(/^ahk_/);

  const signIn = `/api/v1/appuid/${appUid}/sdkusers/auth`;
  const body = { externalId: 'user-1', name: 'Ada' };
  const call = { headers: { 'x-api-key': apiKey }, body };
  const signedIn = await service.raw('POST', signIn, call);
  expect(signedIn.status).toBe(200);
  expect(Object.keys(signedIn.body).sort()).toEqual(
    ['authToken', 'created', 'expiresAt', 'userUid'].sort(),
  );
  const again = await service.raw('POST', signIn, call);
  expect([again.body['userUid'], again.body['created']]).toEqual([signedIn.body['userUid'], false]);
  const { authToken } = signedIn.body;
  const verify = await service.raw('POST', `/api/v1/appuid/${appUid}/sdkusers/token/verify`, {
    headers: { 'x-api-key': apiKey },
    body: { authToken },
  });
  expect(verify.body['active']).toBe(true);
});

test('sign-ins that the migration page calls invalid are rejected', async () => {
  const identity = { externalId: 'user-1', userEmail: 'ada@example.com' };
  for (const body of [{}, identity, { externalId: 'user-1', legacyField: true }]) {
    expectProblem(await service.call('POST', '/sdkusers/auth', { body }), 400, 'invalid_request');
  }
  const unknown = { externalId: 'user-1', accountUids: ['acc_unknown'] };
  const refused = await service.call('POST', '/sdkusers/auth', { body: unknown });
  expectProblem(refused, 422, 'unknown_account_uids');
});
