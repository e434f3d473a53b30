// The console in a real browser, connected to a service of the test.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../dev/browser/find-chromium.ts';
import { makeTestAdmin, type TestAdmin } from './admin-client.ts';
import { startService, type ServiceOptions, type TestService } from './service.ts';
import { useStarted } from './use-service.ts';

const actionTimeoutMs = 20_000;

let browser: Promise<Browser> | undefined;

/** One browser for all files of a worker process. It ends with the last file. */
function theBrowser(): Promise<Browser> {
  browser ??= findChromium(process.env).then(launchForWorker);
  return browser;
}

async function launchForWorker(path: string): Promise<Browser> {
  const launched = await launchChromium(path);
  // Jest lets a worker end by no longer listening to it.
  process.on('removeListener', (name) => void (name === 'message' && launched.close()));
  return launched;
}

export interface ConsoleService extends TestService {
  /** `http://localhost:…/console`. For this host name, a browser keeps the session cookie. */
  consoleUrl: string;
  /** A superuser. */
  superuser: TestAdmin;
}

/** Starts a service whose pages a browser on this machine can open. */
export async function startConsoleService(options: ServiceOptions = {}): Promise<ConsoleService> {
  const env = { HERALD_PUBLIC_URL: 'http://localhost', ...options.env };
  const service = await startService({ ...options, env });
  const superuser = await makeTestAdmin(service, { superuser: true });
  const { port } = new URL(service.apiUrl);
  return { ...service, consoleUrl: `http://localhost:${port}/console`, superuser };
}

/** Returns such a service, which is started before the first test of the file. */
export function useConsoleService(options: ServiceOptions = {}): ConsoleService {
  return useStarted(() => startConsoleService(options));
}

export interface OpenedConsole extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** Errors that the browser reported: exceptions on the page, and violations of the policy. */
  complaints: string[];
}

interface ConsoleOptions {
  /** The signed-in admin. Null for nobody. */
  admin?: TestAdmin | null;
  colorScheme?: 'light' | 'dark';
  width?: number;
  timezoneId?: string;
}

/** Opens the browser at a path below `/console`, with a session of `admin`. */
export async function openConsole(
  service: Pick<ConsoleService, 'consoleUrl' | 'superuser'>,
  path: string,
  options: ConsoleOptions = {},
): Promise<OpenedConsole> {
  const { admin = service.superuser, colorScheme = 'light', width = 1280 } = options;
  const browser = await theBrowser();
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: 900 },
    timezoneId: options.timezoneId ?? 'Europe/Berlin',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  try {
    if (admin !== null) await context.addCookies([cookieFor(service, admin)]);
    const page = await context.newPage();
    page.setDefaultTimeout(actionTimeoutMs);
    const complaints = listenForComplaints(page);
    await page.goto(service.consoleUrl + path);
    return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() };
  } catch (error) {
    await context.close();
    throw error;
  }
}

function listenForComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // Each rejected call is reported, too, but the pages show those themselves.
    const isCall = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isCall) complaints.push(message.text());
  });
  return complaints;
}

function cookieFor({ consoleUrl }: Pick<ConsoleService, 'consoleUrl'>, { headers }: TestAdmin) {
  const [name = '', value = ''] = (headers['cookie'] ?? '').split('=');
  return {
    name,
    value,
    url: new URL(consoleUrl).origin,
    httpOnly: true,
    secure: true,
    sameSite: 'Strict' as const,
  };
}
