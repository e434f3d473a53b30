// Users, members and the audit log in the console, and what viewers do not see.
import { decodeJwt } from 'jose';
import { signIn, verify } from '../integration/api/token-forge.ts';
import { makeTestAdmin, type TestAdmin } from '../support/admin-client.ts';
import { openConsole, useConsoleService } from '../support/console.ts';

let viewer: TestAdmin;
let app: string;
let userUid: string;
let accountUid: string;
let authToken: string;
let other: string;
const service = useConsoleService({ worker: false });

beforeAll(async () => {
  viewer = await makeTestAdmin(service);
  app = `/apps/${service.app.appUid}`;
  const account = await service.superuser.call('POST', `${app}/accounts`, {
    body: { name: 'Acme' },
  });
  accountUid = String(account.body['uid']);
  const body = { externalId: 'user-1', name: '=HYPERLINK("x")', accountUids: [accountUid] };
  const signedIn = await service.call('POST', '/sdkusers/auth', { body });
  userUid = String(signedIn.body['userUid']);
  authToken = String(signedIn.body['authToken']);
  other = await signIn(service, body);
});
const isActive = async (token = authToken) => (await verify(service, token))['active'];

it('a user is found by external ID, loses all tokens, and the audit log shows who did it', async () => {
  await using opened = await openConsole(service, `${app}/users`);
  const { page, complaints } = opened;
  expect(await isActive()).toBe(true);
  await page.getByLabel('External ID').fill('user-2');
  await page.getByText('No user found').waitFor();
  await page.getByLabel('External ID').fill('user-1');
  await page.getByRole('link', { name: '=HYPERLINK("x")' }).click();
  await page.getByRole('link', { name: 'Acme' }).waitFor();
  const tokens = page.getByRole('table', { name: 'Tokens' });
  await tokens.getByRole('button', { name: `Actions for ${decodeJwt(other).jti}` }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  const one = page.getByRole('dialog', { name: 'Revoke the token' });
  await one.getByRole('button', { name: 'Revoke' }).click();
  await one.waitFor({ state: 'hidden' });
  await tokens.getByRole('row').nth(2).waitFor({ state: 'detached' });
  expect([await isActive(other), await isActive()]).toEqual([false, true]);
  await page.getByRole('button', { name: 'Revoke tokens' }).click();
  const confirm = page.getByRole('dialog', { name: "Revoke the user's tokens" });
  await confirm.getByRole('button', { name: 'Revoke tokens' }).click();
  await confirm.waitFor({ state: 'hidden' });
  expect(await isActive()).toBe(false);
  await page.getByText('None: the user has no valid token.').waitFor();

  await page.getByRole('button', { name: 'Actions for Acme' }).click();
  await page.getByRole('menuitem', { name: 'Remove from account' }).click();
  const removal = page.getByRole('dialog', { name: 'Remove the user from the account' });
  await removal.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('None: the user can reach only').waitFor();

  await page.getByRole('link', { name: 'History' }).click();
  const row = page.getByRole('row').filter({ hasText: 'user.tokens_revoked' });
  await row.getByText(service.superuser.email).waitFor();
  expect(new URL(page.url()).searchParams.get('targetUid')).toBe(userUid);
  expect(complaints).toEqual([]);
});

it('a disabled application is marked as disabled on its pages and next to its name, and tells owners where to enable it', async () => {
  const { body } = await service.superuser.call('POST', '/apps', { body: { name: 'Closed' } });
  const path = `/apps/${String(body['uid'])}`;
  await service.superuser.call('PATCH', path, { body: { active: false } });
  await using opened = await openConsole(service, `${path}/members`);
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Application Closed (disabled); switch' }).waitFor();
  const alert = page.getByRole('alert').filter({ hasText: 'This application is disabled' });
  await alert.getByRole('link', { name: 'applications' }).click();
  await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
  expect(await alert.count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('a member is added by email, and an unknown email is rejected at its field', async () => {
  await using opened = await openConsole(service, `${app}/members`);
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'Add member' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add a member' });
  await form.getByLabel('Email').fill('nobody@example.com');
  await form.getByRole('button', { name: 'Add' }).click();
  await form.getByText('no admin has this email').waitFor();
  await form.getByLabel('Email').fill(viewer.email);
  await form.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('row').filter({ hasText: viewer.email }).getByText('viewer').waitFor();
  expect(complaints).toEqual([]);
});

// After the test above, which adds the viewer.
it('a viewer sees no controls that change anything', async () => {
  await using opened = await openConsole(service, '/apps', { admin: viewer });
  const { page, complaints } = opened;
  const ofInstallation: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (/admin\/api\/(audit-log|stats)/.test(url)) ofInstallation.push(url);
  });
  const changing =
    /create|generate|add |rename|revoke|delete|disable|change role|remove|roll|actions for/i;
  for (const [path, heading] of [
    ['/apps', 'Applications'],
    ['/audit-log', 'Audit log of all applications'],
    [`${app}/users`, 'Users'],
    [`${app}/users/${userUid}`, '=HYPERLINK("x")'],
    [`${app}/accounts`, 'Accounts'],
    [`${app}/accounts/${accountUid}`, 'Acme'],
    [`${app}/audit-log`, 'Audit log'],
    [`${app}/settings`, 'Settings'],
  ] as const) {
    await page.goto(service.consoleUrl + path);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    expect([path, await page.getByRole('button', { name: changing }).count()]).toEqual([path, 0]);
  }
  for (const [path, heading] of [
    [`${app}/keys`, 'API Management'],
    [`${app}/members`, 'Members'],
  ] as const) {
    await page.goto(service.consoleUrl + path);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem').first().waitFor();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['View activity']);
  }
  expect(ofInstallation).toEqual([]);
  expect(complaints).toEqual([]);
});
