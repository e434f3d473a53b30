// The search of the console (Ctrl-K), by the keyboard alone, and the filters that take the same.
import type { Page } from 'playwright-core';
import { makeTestAdmin, type TestAdmin } from '../support/admin-client.ts';
import { openConsole, useConsoleService } from '../support/console.ts';
import { loadAxe, obstacles } from '../support/obstacles.ts';
import { eventually } from '../support/eventually.ts';

let viewer: TestAdmin;
let app: string;
const uids: Record<string, string> = {};

const service = useConsoleService({ worker: false });

beforeAll(async () => {
  viewer = await makeTestAdmin(service);
  app = `/apps/${service.app.appUid}`;
  const make = async (name: string, path: string, body: object): Promise<void> => {
    const answer = await service.call('POST', path, { body });
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    uids[name] = String(answer.body['uid'] ?? answer.body['userUid']);
  };
  const hook = { url: 'https://hooks.example.com/billing', entities: ['agent'], active: false };
  await make('webhook', '/webhooks', { ...hook, name: 'Billing' });
  await make('user', '/sdkusers/auth', { externalId: 'ext-42', name: 'Ada Lovelace' });
  await make('emailed', '/sdkusers/auth', { userEmail: 'grace@example.com', name: 'Grace Hopper' });
  await make('account', '/accounts', { name: 'Zeta Labs' });
  await make('agent', '/agents', { agentName: 'A', externalTenantId: 'globex <"west">' });
  const reported = { uid: 'bot 7', externalTenantId: 'globex <"west">' };
  await make('reported', '/changes', { event: 'agent.updated', data: reported });
  await make('replay', '/replays', { since: '2026-01-01T00:00:00Z' });
  await make('sync', `/webhooks/${uids['webhook']}/sync`, {});
  await make('erasure', '/erasures', { externalTenantId: 'tenant-nobody' });
  const events = await service.call('GET', '/events?limit=1');
  uids['event'] = (events.body['data'] as unknown as { eventId: string }[])[0]?.eventId ?? '';
  await service.superuser.call('POST', `${app}/members`, {
    body: { email: viewer.email, role: 'viewer' },
  });
});
const searchOf = (page: Page) => page.getByRole('combobox', { name: 'Search' });

async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  const hasFocus = () => searchOf(page).evaluate((element) => element.matches(':focus'));
  await eventually(async () => expect(await hasFocus()).toBe(true));
}

/** Opens the search by the keyboard, and pastes a text. */
async function paste(page: Page, text: string): Promise<void> {
  await openSearch(page);
  await page.keyboard.insertText(text);
}

/** Moves down to an option, and opens it. */
async function choose(page: Page, name: string): Promise<void> {
  const option = page.getByRole('option', { name });
  await option.waitFor();
  const count = await page.getByRole('option').count();
  for (let n = 0; n < count; n += 1) {
    if ((await option.getAttribute('aria-selected')) === 'true') break;
    await page.keyboard.press('ArrowDown');
  }
  const id = await searchOf(page).getAttribute('aria-activedescendant');
  expect(await option.getAttribute('id')).toBe(id);
  await page.keyboard.press('Enter');
  await searchOf(page).waitFor({ state: 'detached' });
}

type Case = [text: () => string, group: string, option: string, at: () => string];

const tenant = encodeURIComponent('globex <"west">').replaceAll('%20', '+');
const cases: Case[] = [
  [() => `"${uids['event']}",`, 'By its ID', 'Open this event', () => `/events/${uids['event']}`],
  [() => 'hooks.example.com', 'Webhooks', 'Billing', () => `/webhooks/${uids['webhook']}`],
  [() => ' "ext-42" ', 'Users', 'Ada Lovelace', () => `/users/${uids['user']}`],
  [() => 'Grace@Example.com', 'Users', 'Grace Hopper', () => `/users/${uids['emailed']}`],
  [() => 'grace h', 'Users', 'Grace Hopper', () => `/users/${uids['emailed']}`],
  [() => 'zeta', 'Accounts', 'Zeta Labs', () => `/accounts/${uids['account']}`],
  [() => 'globex', 'Tenants', 'Events', () => `/events?externalTenantId=${tenant}`],
  [() => 'globex <"', 'Tenants', 'Deliveries', () => `/deliveries?externalTenantId=${tenant}`],
  [() => 'bot 7', 'Resources', 'Events of bot 7', () => '/events?resourceUid=bot+7'],
  [
    () => uids['replay'] ?? '',
    'Replays, syncs and erasures',
    'Open this replay',
    () => `/replays/${uids['replay']}`,
  ],
  [
    () => uids['sync'] ?? '',
    'Replays, syncs and erasures',
    'Open this sync',
    () => `/syncs/${uids['sync']}`,
  ],
  [
    () => uids['erasure'] ?? '',
    'Replays, syncs and erasures',
    'Open this erasure',
    () => '/erasures',
  ],
  [
    () => `${service.consoleUrl}${app}/webhooks/${uids['webhook']}?tab=settings`,
    'By its address',
    'Open this page',
    () => `/webhooks/${uids['webhook']}?tab=settings`,
  ],
  [() => 'live', 'Pages', 'Live events', () => '/events/live'],
];

it('the search leads to everything by the keyboard alone, also for a viewer', async () => {
  await using opened = await openConsole(service, app, { admin: viewer });
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  for (const [text, group, option, at] of cases) {
    await paste(page, text());
    await page.getByRole('group', { name: group }).getByRole('option', { name: option }).waitFor();
    await choose(page, option);
    await eventually(async () => expect(page.url()).toBe(`${service.consoleUrl}${app}${at()}`));
  }
  expect(complaints).toEqual([]);
});

it('the search neither shows nor sends the secret of a pasted API key, and finds the key', async () => {
  await using opened = await openConsole(service, app);
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  const [, keyId = '', secret = ''] = service.app.apiKey.split('_');
  await paste(page, `x-api-key: ${service.app.apiKey}`);
  expect(await searchOf(page).inputValue()).toBe(`x-api-key: ahk_${keyId}`);
  await searchOf(page).fill(service.app.apiKey);
  await page.getByRole('group', { name: 'API keys' }).getByRole('option').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API Management', level: 1 }).waitFor();
  await page.getByRole('table', { name: 'API keys' }).getByText(keyId).waitFor();
  expect(new URL(page.url()).search).toBe(`?keyId=${keyId}`);
  await page.getByRole('textbox', { name: 'Key ID' }).fill(service.app.apiKey);
  await eventually(async () => expect(new URL(page.url()).search).toBe(`?keyId=ahk_${keyId}`));
  await page.getByRole('table', { name: 'API keys' }).getByText(keyId).waitFor();
  expect(urls.filter((url) => url.includes(secret))).toEqual([]);
  expect(complaints).toEqual([]);
});

it('the search can be used by everyone, light and dark, and fits a phone', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await using opened = await openConsole(service, app, { colorScheme });
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await loadAxe(page);
    await paste(page, 'a');
    await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor();
    expect(await obstacles(page, 'all')).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    const beyond = 'document.documentElement.scrollWidth - window.innerWidth';
    expect(await page.evaluate<number>(beyond)).toBeLessThanOrEqual(0);
    expect(await obstacles(page, 'all')).toEqual([]);
    expect(complaints).toEqual([]);
  }
});

it('a list offers the tenants that begin with what is typed', async () => {
  for (const list of ['deliveries', 'events']) {
    await using opened = await openConsole(service, `${app}/${list}`);
    const { page, complaints } = opened;
    const tenants = page.getByRole('combobox', { name: 'Tenant' });
    await tenants.focus();
    await page.keyboard.insertText(' "glob" ');
    await page.getByRole('option', { name: 'globex <"west">' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const search = `?externalTenantId=${tenant}`;
    await eventually(async () => expect(new URL(page.url()).search).toBe(search));
    expect(await tenants.inputValue()).toBe('globex <"west">');
    expect(complaints).toEqual([]);
  }
});
