// Tasks of an operator without a mouse, and long lists.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../lib/platform/ids.ts';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';
import { newDelivery } from '../support/fixtures.ts';

const tabsMax = 80;

let service: ConsoleService;
beforeAll(async () => {
  service = await startConsoleService({ worker: false });
});
afterAll(async () => service[Symbol.asyncDispose]());

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
  await expect
    .poll(
      async () => {
        await page.keyboard.press('End');
        return table.getByText(last).count();
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  expect(await table.getAttribute('aria-rowcount')).toBe(String(count + 1));
  expect(await table.getByRole('row').count()).toBeLessThan(100);
  expect(complaints).toEqual([]);
});
