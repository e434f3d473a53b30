// Temporal's UI in a browser without a window, and pictures of the parts of it that matter.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { chromium, type Locator, type Page } from 'playwright-core';

const programNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

// The UI's side bar takes 256 of it and is left out of the pictures. In a narrower window long ids
// are cut off, or run into what stands beside them.
const viewport = { width: 2060, height: 900 };
const marginPixels = 16;
const visibleTimeoutMs = 20_000;

// The columns that docs/operations.md advises; the UI keeps them in the browser, by namespace.
const columnsKey = 'namespace-workflow-table-columns';
const columns = [
  'Status',
  'DeliveryState',
  'EventType',
  'ExternalTenantId',
  'Start',
  'Workflow ID',
];

/** Temporal's UI, open in a browser. */
export interface TemporalUi extends AsyncDisposable {
  /** Takes a picture of the list under a filter once it shows `count` workflows. */
  photographList(query: string, options: { count: number; path: string }): Promise<void>;
  /** Takes a picture of the pending activity of a workflow that has one, without its stack trace. */
  photographPendingActivity(workflowId: string, options: { path: string }): Promise<void>;
}

/** Gives the path of a Chromium: that of `HERALD_CHROMIUM`, or the first on `PATH`. Throws when there is none. */
export async function findChromium(env: NodeJS.ProcessEnv): Promise<string> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const onPath = programNames.flatMap((name) => folders.map((folder) => join(folder, name)));
  const asked = env['HERALD_CHROMIUM'];
  for (const path of asked ? [asked] : onPath) {
    if (await isExecutable(path)) return path;
  }
  throw new Error(
    asked
      ? `HERALD_CHROMIUM is ${asked}, which is not an executable file`
      : 'no Chromium is on the PATH: install one (Debian: apt-get install chromium), or set HERALD_CHROMIUM to its path',
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Opens the UI at `url` with the advised columns. */
export async function openTemporalUi(executablePath: string, url: string): Promise<TemporalUi> {
  // Chromium refuses its sandbox to root, which containers often run as; it sees our own pages only.
  const isRoot = process.getuid?.() === 0;
  const browser = await chromium.launch({ executablePath, chromiumSandbox: !isRoot });
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
      // Stack traces name paths of the machine that made the picture.
      await photograph(page, {
        path,
        from: page.locator('h1'),
        until: page.getByText('Stack Trace', { exact: true }),
      });
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

interface Part {
  path: string;
  from: Locator;
  /** The last thing that is shown; or, as `until`, the first that is not. */
  to?: Locator;
  until?: Locator;
}

/** Takes a picture of the page beside the side bar, between two things on it. */
async function photograph(page: Page, { path, from, to, until }: Part): Promise<void> {
  const { x, width } = await boxOf(page.locator('#content-wrapper'));
  const top = (await boxOf(from)).y - marginPixels;
  const last = to && (await boxOf(to));
  const end = until && (await boxOf(until));
  const bottom = end?.y ?? (last ? last.y + last.height + marginPixels : viewport.height);
  await page.screenshot({ path, clip: { x, y: top, width, height: bottom - top } });
}

async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.first().boundingBox();
  if (box === null) throw new Error('a part of the UI that a picture needs is not visible');
  return box;
}

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;
