// Temporal's UI in a headless browser, and pictures of the parts of it that matter.
import type { Locator, Page } from 'playwright-core';
import { launchChromium } from '../browser/find-chromium.ts';

// 256 are the side bar's, which the pictures leave out. A narrower window cuts long ids off.
const viewport = { width: 2060, height: 900 };
const marginPixels = 16;
const visibleTimeoutMs = 20_000;

// The columns that docs/observing.md advises; the UI keeps them in the browser, by namespace.
const columnsKey = 'namespace-workflow-table-columns';
const columns = [
  'Status',
  'DeliveryState',
  'EventType',
  'ExternalTenantId',
  'Start',
  'Workflow ID',
];

export interface TemporalUi extends AsyncDisposable {
  /** Waits until the list under a filter shows `count` workflows. */
  photographList(query: string, options: { count: number; path: string }): Promise<void>;
  photographPendingActivity(workflowId: string, options: { path: string }): Promise<void>;
  /** The tab User Metadata: the summary and Current Details, which contain `text`. */
  photographDetails(workflowId: string, options: { text: string; path: string }): Promise<void>;
  /** A failed workflow: its result, and the timeline of its activities. */
  photographTimeline(workflowId: string, options: { path: string }): Promise<void>;
}

export async function openTemporalUi(executablePath: string, url: string): Promise<TemporalUi> {
  const browser = await launchChromium(executablePath);
  const context = await browser.newContext({ viewport, timezoneId: 'UTC', locale: 'en-US' });
  const shown = JSON.stringify({ default: columns.map((label) => ({ label })) });
  const keep = `localStorage.setItem(${JSON.stringify(columnsKey)}, ${JSON.stringify(shown)})`;
  await context.addInitScript({ content: keep });
  const page = await context.newPage();
  page.setDefaultTimeout(visibleTimeoutMs);
  const workflows = new URL('namespaces/default/workflows', `${url}/`).href;
  return {
    async photographList(query, { count, path }) {
      await page.goto(`${workflows}?query=${encodeURIComponent(query)}`);
      const title = page.locator('h1', { hasText: `${count} Workflow` });
      const rows = page.locator('table tbody tr').filter({ has: page.getByRole('link') });
      await title.waitFor();
      await rows.nth(count - 1).waitFor();
      await photograph(page, { path, from: title, to: rows.nth(count - 1) });
    },
    async photographPendingActivity(workflowId, { path }) {
      await page.goto(`${workflows}/${encodeURIComponent(workflowId)}`);
      await page.getByRole('tab', { name: 'Pending Activities' }).click();
      await page.getByText('Next Retry', { exact: true }).waitFor();
      const failure = page.locator('.cm-editor').last();
      await photograph(page, { path, from: page.locator('h1'), to: failure });
    },
    async photographDetails(workflowId, { text, path }) {
      await page.goto(`${workflows}/${encodeURIComponent(workflowId)}`);
      await page.getByRole('tab', { name: 'User Metadata' }).click();
      const details = page.locator('#user-metadata-current-details');
      await details.contentFrame().getByText(text).first().waitFor();
      await photograph(page, { path, from: page.locator('h1'), to: details });
    },
    async photographTimeline(workflowId, { path }) {
      await page.goto(`${workflows}/${encodeURIComponent(workflowId)}`);
      await page.getByText('DeliveriesFailed').first().waitFor();
      await photograph(page, { path, from: page.getByRole('tab', { name: 'Timeline' }) });
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

interface Part {
  path: string;
  from: Locator;
  /** The last that is shown. */
  to?: Locator;
}

async function photograph(page: Page, { path, from, to }: Part): Promise<void> {
  const { x, width } = await boxOf(page.locator('#content-wrapper'));
  const top = (await boxOf(from)).y - marginPixels;
  const last = to && (await boxOf(to));
  const bottom = last ? last.y + last.height + marginPixels : viewport.height;
  await page.screenshot({ path, clip: { x, y: top, width, height: bottom - top } });
}

async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.first().boundingBox();
  if (box === null) throw new Error('a part of the UI that a picture needs is not visible');
  return box;
}

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;
