// Signing in and out in the console, and what pages of other sites cannot do to it.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { makeTestAdmin } from '../support/admin-client.ts';
import { openConsole, useConsoleService } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';

const service = useConsoleService({ worker: false });
async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(service.superuser.email);
  await page.getByLabel('Password', { exact: true }).fill(service.superuser.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

it.each([
  ['the requested page', '/me?a=1', '/me?a=1'],
  ['no other site', '//evil.example/', '/apps'],
])('a sign-in through an identity provider leads to %s', async (_rule, to, path) => {
  const asked = `/sign-in?to=${encodeURIComponent(to)}`;
  // The session that the provider's response would create.
  await using opened = await openConsole(service, '/icon.svg');
  const { page, complaints } = opened;
  await page.route('**/admin/api/sign-in-methods', (route) =>
    route.fulfill({ json: { password: true, oidc: true } }),
  );
  const back = { status: 303, headers: { location: service.consoleUrl } };
  await page.route('**/admin/api/oidc/start', (route) => route.fulfill(back));
  await page.goto(service.consoleUrl + asked);
  await page.getByRole('link', { name: 'Sign in with your identity provider' }).click();
  await page.getByRole('button', { name: 'Your account' }).waitFor();
  await eventually(async () => expect(page.url()).toContain(service.consoleUrl + path));
  // Only once: afterwards the home page opens as usual.
  await page.goto(service.consoleUrl);
  await eventually(async () => expect(page.url()).toContain(`${service.consoleUrl}/apps`));
  expect(complaints).toEqual([]);
});

it('a sign-in that the identity provider rejected is reported on the page', async () => {
  await using opened = await openConsole(service, '/sign-in?refused=1', { admin: null });
  await opened.page.getByRole('alert').getByText('The identity provider did not').waitFor();
});

it('a sign-in creates a session that scripts cannot read, and that ends with the sign-out', async () => {
  await using opened = await openConsole(service, '/me', { admin: null });
  const { page, context, complaints } = opened;
  await signIn(page);
  await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
  await page.getByRole('cell').filter({ hasText: 'this one' }).waitFor();
  const cookies = await context.cookies(service.consoleUrl);
  expect(cookies.map(({ name, httpOnly }) => [name, httpOnly])).toContainEqual([
    'herald_admin',
    true,
  ]);
  expect(await page.evaluate('document.cookie')).not.toContain('herald_admin');
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to agent-herald' }).waitFor();
  await page.goto(`${service.consoleUrl}/me`);
  await page.getByRole('heading', { name: 'Sign in to agent-herald' }).waitFor();
  expect(complaints).toEqual([]);
});

it('the next admin in a browser sees nothing of the previous session', async () => {
  const [former, next] = [
    await makeTestAdmin(service, { superuser: true }),
    await makeTestAdmin(service),
  ];
  await using opened = await openConsole(service, '/apps', { admin: former });
  const { page, complaints } = opened;
  const apps = page.locator('main').getByRole('link');
  await apps.first().waitFor();
  await former.call('DELETE', '/session');
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Email').fill(next.email);
  await page.getByLabel('Password', { exact: true }).fill(next.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
  expect(await apps.count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('one’s own account ends another session, and changes the password according to the rules of the service', async () => {
  const admin = await makeTestAdmin(service, { superuser: true });
  const { email, password } = admin;
  const body = { email, password };
  const other = await service.raw('POST', '/admin/api/session', { headers: {}, body });
  const cookie = other.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const otherStatus = async (): Promise<number> =>
    (await service.raw('GET', '/admin/api/session', { headers: { cookie } })).status;
  expect(await otherStatus()).toBe(200);

  await using opened = await openConsole(service, '/me', { admin });
  const { page, complaints } = opened;
  await page.getByRole('button', { name: /^End the session from/ }).click();
  const question = page.getByRole('dialog', { name: 'End the session?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await otherStatus()).toBe(200);
  await page.getByRole('button', { name: /^End the session from/ }).click();
  await question.getByRole('button', { name: 'End session' }).click();
  await page.getByText('Session ended.').waitFor();
  expect(await otherStatus()).toBe(401);

  await page.getByLabel('Current password').fill(password);
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('must have 12 to 128 characters').waitFor();
  await page.getByLabel('New password').fill('a rather long new password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed.').waitFor();
  // The session continues, with a new cookie and token.
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  const confirm = page.getByRole('dialog', { name: 'Sign out everywhere' });
  await confirm.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('heading', { name: 'Sign in to agent-herald' }).waitFor();
  expect(complaints).toEqual([]);
});

// The browser sends the cookie to any port of its site. The service itself must reject the call.
it.each([
  ['127.0.0.1', 401],
  ['localhost', 403],
])(
  'a page of another site on %s changes nothing, neither by a script nor by a form, whose status is %d',
  async (host, status) => {
    const target = new URL(`/admin/api/apps/${service.app.appUid}/keys`, service.consoleUrl);
    const hostile = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<form method="post" enctype="text/plain" action="${target.href}">` +
          `<input name='{"name":"x","scopes":["admin"],"y":"' value='"}'><button>Win</button></form>`,
      );
    }).listen(0);
    await once(hostile, 'listening');
    await using opened = await openConsole(service, '/me');
    const { page } = opened;
    await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
    const before = await service.store.apiKeys.countDocuments({});
    const url = `http://${host}:${(hostile.address() as AddressInfo).port}/`;
    try {
      await page.goto(url);
      const answerTo = (options: string): Promise<string> =>
        page.evaluate<string>(
          `fetch(${JSON.stringify(target.href)}, { method: 'POST', credentials: 'include', ${options} })
            .then(({ type }) => type, () => 'refused')`,
        );
      const wish = `body: '{"name":"x","scopes":["admin"]}'`;
      // Without permission from the service the request is sent, but the response stays hidden.
      expect(['opaque', 'refused']).toContain(await answerTo(`mode: 'no-cors', ${wish}`));
      const json = `headers: { 'content-type': 'application/json' }, ${wish}`;
      expect(await answerTo(json)).toBe('refused');
      const submitted = page.waitForResponse(target.href);
      await page.getByRole('button', { name: 'Win' }).click();
      expect((await submitted).status()).toBe(status);
    } finally {
      hostile.close();
      hostile.closeAllConnections();
    }
    expect(await service.store.apiKeys.countDocuments({})).toBe(before);
  },
);

// The pages at /docs run third-party code at the address of the console, which must not use its session.
/** Runs code in the page, like the third-party code could. */
const attempt = (page: Page, code: string): Promise<unknown> =>
  page.evaluate(`(async () => ${code})().catch(({ name }) => name)`);

it('a script on the page can read neither the session of an admin nor a page of the console', async () => {
  await using opened = await openConsole(service, '/me');
  const { page, context } = opened;
  await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
  // The script is large: on a busy machine it takes a while to show the contract.
  page.setDefaultTimeout(60_000);
  await page.goto(new URL('/docs', service.consoleUrl).href);
  await page.getByRole('button', { name: 'Webhooks' }).first().waitFor();
  const session = new URL('/admin/api/session', service.consoleUrl).href;
  // The browser itself has the session.
  expect((await context.request.get(session)).status()).toBe(200);
  for (const credentials of ['include', 'same-origin']) {
    const read = `(await fetch('${session}', { credentials: '${credentials}' })).status`;
    expect(await attempt(page, read)).toBe('TypeError');
  }
  expect(await attempt(page, 'document.cookie')).toBe('SecurityError');
  expect(await attempt(page, "window.open('/console')")).toBeNull();
  const frame = "document.body.appendChild(document.createElement('iframe'))";
  const framed = `{ const f = ${frame}; f.src = '/console'; return f.contentDocument; }`;
  expect(await attempt(page, framed)).toBeNull();
});
