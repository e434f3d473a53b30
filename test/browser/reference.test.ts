// The pages at /docs run third-party code at the address of the console, which must not use its session.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type ConsoleService,
  type OpenedConsole,
  openConsole,
  startConsoleService,
} from '../support/console.ts';

let service: ConsoleService;
beforeAll(async () => {
  service = await startConsoleService({ worker: false });
});
afterAll(async () => service[Symbol.asyncDispose]());

/** Opens the pages in a browser in which an admin is signed in to the console. */
async function openReference(): Promise<OpenedConsole> {
  const opened = await openConsole(service, '/me');
  await opened.page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
  // The script is large: on a busy machine it takes a while to show the contract.
  opened.page.setDefaultTimeout(60_000);
  await opened.page.goto(new URL('/docs', service.consoleUrl).href);
  await opened.page.getByRole('button', { name: 'Webhooks' }).first().waitFor();
  return opened;
}

/** Runs code in the page, like the third-party code could. */
const attempt = (page: Page, code: string): Promise<unknown> =>
  page.evaluate(`(async () => ${code})().catch(({ name }) => name)`);

it('a script on the page can read neither the session of an admin nor a page of the console', async () => {
  await using opened = await openReference();
  const { page, context } = opened;
  const session = new URL('/admin/api/session', service.consoleUrl).href;
  // The browser itself has the session.
  expect((await context.request.get(session)).status()).toBe(200);
  for (const credentials of ['include', 'same-origin']) {
    const read = `(await fetch('${session}', { credentials: '${credentials}' })).status`;
    expect(await attempt(page, read)).toBe('TypeError');
  }
  expect(await attempt(page, 'document.cookie')).toBe('SecurityError');
  expect(await attempt(page, "window.open('/console')")).toBeNull();
  const frame = "document.body.appendChild(document.createElement('iframe'))";
  const framed = `{ const f = ${frame}; f.src = '/console'; return f.contentDocument; }`;
  expect(await attempt(page, framed)).toBeNull();
});

it('the page leads back to the console, and shows no key that is not ours', async () => {
  await using opened = await openReference();
  const { page } = opened;
  const field = "document.querySelector('.scalar-password-input')";
  await expect.poll(() => attempt(page, `${field} !== null`)).toBe(true);
  const color = `getComputedStyle(${field}, '::placeholder').color`;
  expect(await attempt(page, color)).toBe('rgba(0, 0, 0, 0)');
  await page.getByRole('link', { name: 'Console' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
});

it('calls can be found and tried on the page', async () => {
  await using opened = await openReference();
  const { page, complaints } = opened;
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Create a webhook');
  await page.getByRole('option', { name: 'Create a webhook' }).first().click();
  await page.getByRole('heading', { name: 'Create a webhook' }).first().waitFor();
  await expect.poll(() => page.url()).toContain('#tag/webhooks');

  await page
    .getByRole('button', { name: /^Test Request.*\/webhooks\)$/ })
    .first()
    .click();
  const client = page.getByRole('dialog');
  await client.getByRole('button', { name: /^Send/ }).first().click();
  await client.getByText('401 Unauthorized').waitFor();
  await client.getByText('unauthenticated').first().waitFor();

  const { appUid, apiKey } = service.app;
  const webhooks = `/api/v1/appuid/${appUid}/webhooks`;
  const headers = JSON.stringify({ 'x-api-key': apiKey });
  const read = `(await fetch('${webhooks}', { headers: ${headers} })).status`;
  expect(await attempt(page, read)).toBe(200);
  expect(complaints).toEqual([]);
});
