// The filters of lists, and the times in them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';
import { insertEvent } from '../support/fixtures.ts';

let service: ConsoleService;
const phone = 390;

beforeAll(async () => {
  service = await startConsoleService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const pathTo = (rest: string): string => `/apps/${service.app.appUid}${rest}`;
const hourMs = 3_600_000;

test('a quick range replaces both times, and is kept in the address as an instant', async () => {
  await using opened = await openConsole(
    service,
    pathTo('/events?until=2026-01-01T00:00:00.000Z&externalTenantId=shop'),
    { timezoneId: 'Asia/Tokyo' },
  );
  const { page, complaints } = opened;
  await page.getByText('Times in Asia/Tokyo (UTC+9)').waitFor();
  const until = page.getByLabel('Until');
  expect(await until.inputValue()).toBe('2026-01-01T09:00');
  await page.getByRole('button', { name: 'Last 1 h' }).click();
  await expect.poll(() => until.inputValue()).toBe('');
  const { searchParams } = new URL(page.url());
  const since = Date.parse(searchParams.get('since') ?? '');
  expect(Math.abs(Date.now() - hourMs - since)).toBeLessThan(60_000);
  expect(searchParams.get('externalTenantId')).toBe('shop');
  expect(complaints).toEqual([]);
});

test('on a phone the filters are behind a button, which counts those that are set', async () => {
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

test('a time shows its date if it is not of today, and UTC on focus, which a touch sets', async () => {
  const at = new Date(Date.now() - 48 * hourMs);
  const { _id } = await insertEvent(service, [], at);
  await using opened = await openConsole(service, pathTo(`/events/${_id}`));
  const { page } = opened;
  const time = page.locator('time').first();
  const month = at.toLocaleString('en-GB', { month: 'short', timeZone: 'Europe/Berlin' });
  expect(await time.innerText()).toContain(month);
  const utc = `${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
  const shown = () =>
    page.evaluate<string>("getComputedStyle(document.querySelector('time'), '::after').content");
  expect(await shown()).toBe('none');
  await time.focus();
  expect(await shown()).toBe(`"${utc}"`);
});
