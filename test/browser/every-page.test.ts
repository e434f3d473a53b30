import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesOf } from '../support/console-pages.ts';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';
import { enliven, type LivelyApp } from '../support/lively-app.ts';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);
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

let service: ConsoleService;
let app: LivelyApp;
beforeAll(async () => {
  service = await startConsoleService();
  app = await enliven(service, service.superuser);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** Returns the obstacles for people who cannot see well, hear, or use a mouse. */
async function findings(page: Page, rules: 'all' | 'contrast'): Promise<string[]> {
  const some = rules === 'all' ? {} : { runOnly: ['color-contrast'] };
  const options = { ...some, resultTypes: ['violations'] };
  const run = `axe.run(document, ${JSON.stringify(options)})`;
  const { violations } = await page.evaluate<{ violations: Violation[] }>(run);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

async function widthBeyond(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 844 });
  return page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
}

describe('every page', () => {
  it('can be used by everyone, light and dark, and fits a phone', async () => {
    const pages = pagesOf(service.app.appUid, app);
    await using opened = await openConsole(service, '/apps');
    const { page, complaints } = opened;
    const faults: Record<string, unknown> = {};
    // Through the browser's tools, because the page's own policy would refuse a script.
    await page.evaluate(axeSource);
    for (const { name, path, heading } of pages) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.emulateMedia({ colorScheme: 'light' });
      // Like a link: the page is not reloaded.
      const url = JSON.stringify(`/console${path}`);
      await page.evaluate(`history.pushState({}, '', ${url})`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      const light = await findings(page, 'all');
      const hasMarkup = await page.evaluate<boolean>("document.body.innerText.includes('`')");
      await photograph(page, name);
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await findings(page, 'contrast');
      const beyond = await widthBeyond(page, phoneWidth);
      if (light.length > 0 || dark.length > 0 || beyond > 0 || hasMarkup)
        faults[path] = { light, dark, beyond, hasMarkup };
    }
    expect(faults).toEqual({});
    expect(complaints).toEqual([]);
  });
});
