import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pagesOf } from '../support/console-pages.ts';
import { openConsole, useConsoleService } from '../support/console.ts';
import { enliven, type LivelyApp } from '../support/lively-app.ts';
import { loadAxe, obstacles } from '../support/obstacles.ts';

const phoneWidth = 390;
// Set by `npm run pictures`.
const picturesFolder = process.env['HERALD_PICTURES'] ?? null;
const consolePage = readFileSync('docs/console.md', 'utf8');

/** Saves the picture of a page for docs/console.md. */
async function photograph(page: Page, name: string): Promise<void> {
  if (picturesFolder === null || !consolePage.includes(`console/${name}.png`)) return;
  if (name === 'events-live') await page.getByText('live', { exact: true }).waitFor();
  await page.screenshot({ path: join(picturesFolder, `${name}.png`) });
}

let app: LivelyApp;
const service = useConsoleService();

beforeAll(async () => {
  app = await enliven(service, service.superuser);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

async function widthBeyond(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 844 });
  return page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
}

it('every page can be used by everyone, light and dark, and fits a phone', async () => {
  const pages = pagesOf(service.app.appUid, app);
  await using opened = await openConsole(service, '/apps');
  const { page, complaints } = opened;
  const faults: Record<string, unknown> = {};
  await loadAxe(page);
  for (const { name, path, heading } of pages) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    // Like a link: the page is not reloaded.
    const url = JSON.stringify(`/console${path}`);
    await page.evaluate(`history.pushState({}, '', ${url})`);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    const light = await obstacles(page, 'all');
    const hasMarkup = await page.evaluate<boolean>("document.body.innerText.includes('`')");
    await photograph(page, name);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await obstacles(page, 'contrast');
    const beyond = await widthBeyond(page, phoneWidth);
    if (light.length > 0 || dark.length > 0 || beyond > 0 || hasMarkup)
      faults[path] = { light, dark, beyond, hasMarkup };
  }
  expect(faults).toEqual({});
  expect(complaints).toEqual([]);
});
