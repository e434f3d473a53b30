// The list of deliveries follows new events by itself, in a browser.
import type { Page } from 'playwright-core';
import { useReceiver } from '../support/use-service.ts';
import { openConsole, useConsoleService } from '../support/console.ts';
import { newDelivery } from '../support/fixtures.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { eventually } from '../support/eventually.ts';

/** The requests that have no response yet. */
const waiting: (() => void)[] = [];
let isHanging = false;

const service = useConsoleService();
const receiver = useReceiver((response) => {
  const respond = (): void => void response.writeHead(204).end();
  if (isHanging) waiting.push(respond);
  else respond();
});

beforeAll(async () => {
  await registerWebhook(service, { url: receiver.url, name: 'Shop' });
});

beforeEach(() => {
  isHanging = false;
});

afterAll(async () => {
  for (const respond of waiting) respond();
});

const pathTo = (rest: string): string => `/apps/${service.app.appUid}${rest}`;
const make = (externalTenantId: string) => reportChange(service, { externalTenantId });
const rowOf = (page: Page, eventId: string) => page.getByRole('row').filter({ hasText: eventId });
const status = (page: Page, text: string) =>
  page.getByRole('status').getByText(text, { exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a delivery appears in flight, dated by its event, and then with its outcome', async () => {
  await using opened = await openConsole(service, pathTo('/deliveries?externalTenantId=follow'));
  const { page, complaints } = opened;
  await status(page, 'live').waitFor();
  await page.getByText('New ones appear by themselves.').waitFor();
  isHanging = true;
  const eventId = await make('follow');
  const row = rowOf(page, eventId);
  await row.getByText('pending', { exact: true }).waitFor();
  const event = await service.call('GET', `/events/${eventId}`);
  const created = row.getByRole('cell').last().locator('time');
  expect(await created.getAttribute('datetime')).toBe(event.body['timestamp']);
  await page.getByRole('columnheader', { name: 'Created' }).waitFor();
  for (const respond of waiting.splice(0)) respond();
  await row.getByText('delivered', { exact: true }).waitFor();
  expect(await rowOf(page, eventId).count()).toBe(1);
  await page.getByRole('status').getByText('1 new event', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('a paused list stays as it is, counts what it misses, and shows it after a resume', async () => {
  const first = await make('pause');
  await using opened = await openConsole(service, pathTo('/deliveries?externalTenantId=pause'));
  const { page, complaints } = opened;
  await rowOf(page, first).waitFor();
  await status(page, 'live').waitFor();
  await button(page, 'Pause').press('Enter');
  await status(page, 'paused').waitFor();
  const second = await make('pause');
  await button(page, 'Resume (1 new event)').waitFor();
  expect(await rowOf(page, second).count()).toBe(0);
  await button(page, 'Resume (1 new event)').press('Enter');
  await rowOf(page, second).waitFor();
  await status(page, 'live').waitFor();

  await page.getByRole('checkbox', { name: first }).check();
  await page.getByText('The list stays as it is while deliveries are selected.').waitFor();
  const third = await make('pause');
  await button(page, 'Resume (1 new event)').waitFor();
  expect(await rowOf(page, third).count()).toBe(0);
  await page.getByRole('checkbox', { name: first }).uncheck();
  await rowOf(page, third).waitFor();
  expect(complaints).toEqual([]);
});

test('the list waits while somebody reads older pages, and follows again at the top', async () => {
  const fields = { externalTenantId: 'pages', state: 'delivered', statusClass: '2xx' } as const;
  const rows = Array.from({ length: 120 }, () => newDelivery(service, new Date(), fields));
  await service.store.deliveries.insertMany(rows);
  await using opened = await openConsole(service, pathTo('/deliveries?externalTenantId=pages'));
  const { page, complaints } = opened;
  const table = page.getByRole('table', { name: 'Deliveries' });
  await status(page, 'live').waitFor();
  await eventually(async () => expect(await table.getAttribute('aria-rowcount')).toBe('51'));
  for (const [width, height, shown] of [[390, 844, 2] as const, [1280, 950, 12] as const]) {
    await page.setViewportSize({ width, height });
    const end = `document.querySelector('[data-index="${shown - 1}"]').getBoundingClientRect().bottom`;
    await eventually(async () => expect(await page.evaluate(end)).toBeLessThanOrEqual(height));
  }
  await page.keyboard.press('End');
  await page.getByText('The list stays as it is while you read older rows.').waitFor();
  const first = await make('pages');
  await button(page, 'Resume (1 new event)').waitFor();
  await page.keyboard.press('Home');
  await rowOf(page, first).waitFor();
  await status(page, 'live').waitFor();
  expect(await table.getAttribute('aria-rowcount')).toBe('51');
  expect(complaints).toEqual([]);
});
