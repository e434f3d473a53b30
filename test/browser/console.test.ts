import { makeTestAdmin } from '../support/admin-client.ts';
import { startPrefixProxy } from '../support/prefix-proxy.ts';
import { openConsole, useConsoleService } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';

const phone = 390;
const service = useConsoleService();
it('the console shows the sign-in first, and then the requested page', async () => {
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

it('the console is loaded by "Try again" once the service responds', async () => {
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

it('the console says what is not there, keeps the navigation, and leads to the list', async () => {
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

it('the console refreshes until nobody has been there for ten minutes, then says so, and continues on return', async () => {
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

it('the console keeps text typed into a filter while the address follows', async () => {
  await using opened = await openConsole(service, `/apps/${service.app.appUid}/users`);
  const { page, complaints } = opened;
  const filter = page.getByRole('search').getByLabel('External ID');
  await filter.pressSequentially('abcdef', { delay: 310 });
  expect(await filter.inputValue()).toBe('abcdef');
  await eventually(async () => expect(new URL(page.url()).search).toBe('?externalId=abcdef'));
  await page.getByRole('button', { name: 'Clear' }).click();
  await eventually(async () => expect(await filter.inputValue()).toBe(''));
  await page.goto(`${service.consoleUrl}/apps/app_00000000000000000000000000`);
  await page.getByRole('heading', { name: 'Application not found' }).waitFor();
  expect(complaints).toEqual([]);
});

it('the console works below any path that a proxy removes', async () => {
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
])('the console loads at most 250 KB before $page can be used', async ({ isSignedIn, heading }) => {
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

const pathTo = (rest: string): string => `/apps/${service.app.appUid}${rest}`;
const hourMs = 3_600_000;

it('a quick range replaces both times, and is kept in the address as an instant', async () => {
  await using opened = await openConsole(
    service,
    pathTo('/events?until=2026-01-01T00:00:00.000Z&externalTenantId=shop'),
    { timezoneId: 'Asia/Tokyo' },
  );
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'More filters (1)' }).click();
  await page.getByText('Times in Asia/Tokyo (UTC+9)').waitFor();
  const until = page.getByLabel('Until');
  expect(await until.inputValue()).toBe('2026-01-01T09:00');
  await page.getByRole('button', { name: 'Last 1 h' }).click();
  await eventually(async () => expect(await until.inputValue()).toBe(''));
  const { searchParams } = new URL(page.url());
  const since = Date.parse(searchParams.get('since') ?? '');
  expect(Math.abs(Date.now() - hourMs - since)).toBeLessThan(60_000);
  expect(searchParams.get('externalTenantId')).toBe('shop');
  expect(complaints).toEqual([]);
});

it('on a phone the filters are behind a button, which counts those that are set', async () => {
  await using opened = await openConsole(service, pathTo('/deliveries?state=held'), {
    width: phone,
  });
  const { page } = opened;
  const filters = page.getByRole('button', { name: 'Filters (1)' });
  await filters.waitFor();
  expect(await page.getByRole('search').count()).toBe(0);
  await filters.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Tenant' }).fill('shop');
  await page.getByRole('button', { name: 'Filters (2)', expanded: true }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  expect(await page.getByRole('search').count()).toBe(0);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('search').waitFor();
});
