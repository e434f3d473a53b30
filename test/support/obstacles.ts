// What axe finds on a page of the console.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** Loads axe into a page. It stays there until the page is reloaded. */
export async function loadAxe(page: Page): Promise<void> {
  // Through the browser's tools, because the page's own policy would refuse a script.
  await page.evaluate(axeSource);
}

/** Returns the obstacles for people who cannot see well, hear, or use a mouse. */
export async function obstacles(page: Page, rules: 'all' | 'contrast'): Promise<string[]> {
  const some = rules === 'all' ? {} : { runOnly: ['color-contrast'] };
  const options = { ...some, resultTypes: ['violations'] };
  const run = `axe.run(document, ${JSON.stringify(options)})`;
  const { violations } = await page.evaluate<{ violations: Violation[] }>(run);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}
