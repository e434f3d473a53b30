// Forms that are left, refused or interrupted: nothing typed is lost without a word.
import type { Locator, Page } from 'playwright-core';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import { newId } from '../../lib/platform/ids.ts';
import { openConsole, useConsoleService } from '../support/console.ts';
import { newDelivery } from '../support/fixtures.ts';
import { eventually } from '../support/eventually.ts';

const service = useConsoleService({ worker: false });
const pages = (): string => `/apps/${service.app.appUid}`;

async function openAdvanced(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Advanced/ }).click();
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(service.superuser.email);
  await page.getByLabel('Password', { exact: true }).fill(service.superuser.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

it('a form whose session ends says so, and brings the input back after the sign-in, without its secrets', async () => {
  await using opened = await openConsole(service, `${pages()}/webhooks/new`);
  const { page, context, complaints } = opened;
  await page.getByLabel('Name', { exact: true }).fill('Interrupted');
  await page.getByLabel('context.deleted', { exact: true }).uncheck();
  await openAdvanced(page);
  await page.getByRole('textbox', { name: 'Description' }).fill('Ask the team of billing');
  await page.getByText('Bearer', { exact: true }).click();
  await page.getByLabel('Token', { exact: true }).fill('top-secret');
  await context.clearCookies();
  await page.getByRole('textbox', { name: 'URL' }).fill('https://example.com/hook');

  await page.getByText('Your session ended').waitFor();
  await page.getByText('Your unsaved changes there are kept.').waitFor();
  const kept = await page.evaluate('JSON.stringify(sessionStorage)');
  expect(kept).toContain('Interrupted');
  expect(kept).not.toContain('top-secret');

  await signIn(page);
  await page.getByText('Your unsaved changes are back').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Interrupted');
  expect(await page.getByLabel('context.deleted', { exact: true }).isChecked()).toBe(false);
  expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe(
    'Ask the team of billing',
  );
  expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe(
    'https://example.com/hook',
  );
  await page.getByRole('button', { name: 'Discard them' }).click();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
  await page.reload();
  await page.getByRole('button', { name: 'Create webhook' }).waitFor();
  expect(await page.getByText('Your unsaved changes are back').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('a form with unsaved changes asks before it is left, keeps them for Stay, and forgets them for Leave', async () => {
  const body = { url: 'https://example.com/hook', entities: ['agent'], name: 'Kept' };
  const { body: webhook } = await service.call('POST', '/webhooks', { body });
  const path = `${pages()}/webhooks/${String(webhook['uid'])}?tab=settings`;
  await using opened = await openConsole(service, path);
  const { page, complaints } = opened;
  await page.getByLabel('Name', { exact: true }).fill('Changed');
  await page.getByRole('tab', { name: 'Secret' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Changed');

  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
  await page.goto(service.consoleUrl + path);
  await page.getByRole('button', { name: 'Save' }).waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept');
  expect(complaints).toEqual([]);
});

it('a refused form leads to its first wrong field and says how many are wrong, without a call', async () => {
  await using opened = await openConsole(service, `${pages()}/webhooks/new`);
  const { page, complaints } = opened;
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') calls.push(request.url());
  });
  for (const entity of ['agent', 'context', 'contextfile'])
    await page.getByLabel(`All ${entity} events`, { exact: true }).uncheck();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('Not saved: 2 fields are wrong. They are marked above.').waitFor();
  await page.getByText('Enter the URL of your receiver.').waitFor();
  await page.getByText('Choose at least one event.').waitFor();
  await expectFocus(page, 'URL');
  expect(calls).toEqual([]);
  expect(complaints).toEqual([]);
});

async function expectFocus(page: Page, label: string): Promise<void> {
  const field = page.getByRole('textbox', { name: label });
  await eventually(async () =>
    expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true),
  );
  const box = await field.boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(900);
}

// Tasks of an operator without a mouse, and long lists.
const tabsMax = 80;

/** Presses Tab until a control has the focus, and checks that the focus is visible. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  const isThere = (): Promise<boolean> =>
    control.evaluate((element) => element.matches(':focus-visible'));
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    if (await isThere()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${tabsMax} tabs do not lead to ${String(control)}`);
}

async function press(page: Page, control: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, control);
  await page.keyboard.press(key);
}

async function type(page: Page, control: Locator, text: string): Promise<void> {
  await tabTo(page, control);
  await page.keyboard.type(text);
}

it('signing in, creating a key and a webhook, and pausing and resuming it need no mouse', async () => {
  await using opened = await openConsole(service, '', { admin: null });
  const { page, complaints } = opened;
  await type(page, page.getByLabel('Email'), service.superuser.email);
  await type(page, page.getByLabel('Password', { exact: true }), service.superuser.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

  await page.keyboard.press('g');
  await page.keyboard.press('k');
  await press(page, page.getByRole('button', { name: 'Generate API key' }).first());
  const form = page.getByRole('dialog', { name: 'Generate an API key' });
  await type(page, form.getByRole('textbox', { name: 'Name' }), 'By keyboard');
  await press(page, form.getByRole('checkbox', { name: 'events:read' }), 'Space');
  await press(page, form.getByRole('button', { name: 'Generate' }));
  const shown = page.getByRole('dialog', { name: 'API key By keyboard' });
  await press(page, shown.getByRole('checkbox', { name: 'I have saved it' }), 'Space');
  await press(page, shown.getByRole('button', { name: 'Done' }));
  await page.getByRole('row').filter({ hasText: 'By keyboard' }).waitFor();

  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await press(page, page.getByRole('link', { name: 'Create webhook' }).first());
  await type(page, page.getByLabel('Name', { exact: true }), 'Typed');
  await type(page, page.getByLabel('URL'), 'http://127.0.0.1:9/hook');
  await press(page, page.getByRole('button', { name: 'Create webhook' }));
  const secret = page.getByRole('dialog');
  await press(page, secret.getByRole('checkbox', { name: 'I have saved it' }), 'Space');
  await press(page, secret.getByRole('button', { name: 'Done' }));
  await page.getByRole('heading', { name: 'Typed', level: 1 }).waitFor();

  await press(page, page.getByRole('button', { name: 'Pause', exact: true }));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Pause' }));
  await press(page, page.getByRole('button', { name: 'Resume', exact: true }));
  await press(page, page.getByRole('dialog').getByRole('button', { name: /^Resume/ }));
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

function deliveryTo(webhookUid: string, at: Date): DeliveryDocument {
  const delivered = { state: 'delivered', statusClass: '2xx' } as const;
  return newDelivery(service, at, { webhookUid, event: 'agent.created', ...delivered });
}

it('only the visible rows of a long list are in the document, and it scrolls to its end', async () => {
  const webhookUid = newId('whk');
  const count = 400;
  const nowMs = Date.now();
  const rows = Array.from({ length: count }, (_, n) =>
    deliveryTo(webhookUid, new Date(nowMs - n * 60_000)),
  );
  await service.store.deliveries.insertMany(rows);
  const path = `/apps/${service.app.appUid}/deliveries?webhookUid=${webhookUid}`;
  await using opened = await openConsole(service, path);
  const { page, complaints } = opened;
  const last = rows.at(-1)?.eventId ?? '';
  const table = page.getByRole('table', { name: 'Deliveries' });
  await table.getByText(rows[0]?.eventId ?? '').waitFor();
  await eventually(
    async () => {
      await page.keyboard.press('End');
      expect(await table.getByText(last).count()).toBe(1);
    },
    { timeoutMs: 30_000 },
  );
  expect(await table.getAttribute('aria-rowcount')).toBe(String(count + 1));
  expect(await table.getByRole('row').count()).toBeLessThan(100);
  expect(complaints).toEqual([]);
});
