import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestAdmin } from '../support/admin-client.ts';
import { startPrefixProxy } from '../support/prefix-proxy.ts';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';

let service: ConsoleService;
beforeAll(async () => {
  service = await startConsoleService();
});
afterAll(async () => service[Symbol.asyncDispose]());

describe('the console', () => {
  it('shows the sign-in first, and then the requested page', async () => {
    const path = `/apps/${service.app.appUid}/webhooks`;
    await using opened = await openConsole(service, path, { admin: null });
    const { page, complaints } = opened;
    await page.getByLabel('Email').fill(service.superuser.email);
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The email or password is wrong.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(service.superuser.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console${path}`);
    expect(complaints).toEqual([]);
  });

  it('is loaded by "Try again" once the service responds', async () => {
    await using opened = await openConsole(service, '/icon.svg');
    const { page } = opened;
    const calls = '**/admin/api/session';
    await page.route(calls, (route) => route.fulfill({ status: 503 }));
    await page.goto(`${service.consoleUrl}/apps/${service.app.appUid}/webhooks`);
    const retry = page.getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    await page.unroute(calls);
    await retry.click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  });

  it('says what is not there, keeps the navigation, and leads to the list', async () => {
    const below = `/apps/${service.app.appUid}`;
    await using opened = await openConsole(service, `${below}/nothing`);
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).waitFor();
    const missing = 'whk_00000000000000000000000000';
    await page.goto(`${service.consoleUrl}${below}/webhooks/${missing}`);
    await page.getByText('It does not exist, or it was deleted.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'See all webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('accepts the addresses that one would guess', async () => {
    const below = `/apps/${service.app.appUid}`;
    const body = { url: 'https://example.com/guess', entities: ['agent'], active: false };
    const { body: webhook } = await service.call('POST', '/webhooks', { body });
    const path = `${below}/webhooks/${String(webhook['uid'])}`;
    await using opened = await openConsole(service, `${path}/settings`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=settings');
    await page.goto(`${service.consoleUrl}${path}/nothing`);
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    await service.call('DELETE', `/webhooks/${String(webhook['uid'])}`);
  });

  it('refreshes until nobody has been there for ten minutes, then says so, and continues on return', async () => {
    await using opened = await openConsole(service, '/icon.svg');
    const { page, complaints } = opened;
    await page.clock.install();
    await page.goto(`${service.consoleUrl}/apps/${service.app.appUid}/webhooks`);
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.getByText('No webhooks yet').waitFor();
    const asked = () => page.waitForResponse((response) => response.url().endsWith('/webhooks'));
    const untouched = asked();
    await page.clock.fastForward(11_000);
    await untouched;
    await page.clock.fastForward('10:00');
    const notice = page.getByRole('status').getByText(/^Not refreshed since/);
    await notice.waitFor();
    const touched = asked();
    await page.mouse.move(300, 300);
    await touched;
    await notice.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('opens a page by Ctrl-K and by g and a letter, and lists the shortcuts under ?', async () => {
    await using opened = await openConsole(service, `/apps/${service.app.appUid}`);
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: 'Search' });
    await search.fill('audit');
    await page.getByRole('option', { name: 'Audit log' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    const { _id: adminUid } = service.superuser.admin;
    await page.keyboard.press('Control+k');
    await search.fill(adminUid);
    await page.getByRole('option', { name: 'History of this ID' }).waitFor();
    await page.getByRole('option', { name: 'Activity of this ID' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe(`?actorUid=${adminUid}`);
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps text typed into a filter while the address follows', async () => {
    await using opened = await openConsole(service, `/apps/${service.app.appUid}/users`);
    const { page, complaints } = opened;
    const filter = page.getByRole('search').getByLabel('External ID');
    await filter.pressSequentially('abcdef', { delay: 310 });
    expect(await filter.inputValue()).toBe('abcdef');
    await expect.poll(() => new URL(page.url()).search).toBe('?externalId=abcdef');
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => filter.inputValue()).toBe('');
    await page.goto(`${service.consoleUrl}/apps/app_00000000000000000000000000`);
    await page.getByRole('heading', { name: 'Application not found' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('works below any path that a proxy removes', async () => {
    await using proxy = await startPrefixProxy('/tools/herald', service.apiUrl);
    const consoleUrl = `${proxy.url}/tools/herald/console`;
    const { appUid } = service.app;
    // This test signs the admin out.
    const admin = await makeTestAdmin(service, { superuser: true });
    const proxied = { ...service, consoleUrl };
    await using opened = await openConsole(proxied, `/apps/${appUid}/webhooks`, { admin });
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/tools/herald/console/apps/${appUid}/audit-log`);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to agent-herald' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it.each([
    { page: 'the sign-in', isSignedIn: false, heading: 'Sign in to agent-herald' },
    { page: 'the first page after it', isSignedIn: true, heading: 'Overview' },
  ])('loads at most 250 KB before $page can be used', async ({ isSignedIn, heading }) => {
    const admin = isSignedIn ? service.superuser : null;
    await using opened = await openConsole(service, '/icon.svg', { admin });
    const { page } = opened;
    const urls: string[] = [];
    page.on('requestfinished', (request) => urls.push(request.url()));
    await page.goto(service.consoleUrl);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    // What browsers send over https. Over http they omit brotli.
    const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' };
    const lengths = urls.map(async (url) => {
      const answer = await fetch(url, { method: 'HEAD', headers });
      return Number(answer.headers.get('content-length'));
    });
    const bytes = (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(250 * 1024);
  });
});
