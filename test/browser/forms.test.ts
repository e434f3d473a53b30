// Forms that are left, refused or interrupted: nothing typed is lost without a word.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';

let service: ConsoleService;
beforeAll(async () => {
  service = await startConsoleService({
    worker: false,
    env: { HERALD_ALLOW_CIDRS: '127.0.0.1/32', HERALD_ALLOW_HTTP_WEBHOOKS: 'true' },
  });
});
afterAll(async () => service[Symbol.asyncDispose]());

const pages = (): string => `/apps/${service.app.appUid}`;

async function openAdvanced(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Advanced/ }).click();
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(service.superuser.email);
  await page.getByLabel('Password', { exact: true }).fill(service.superuser.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

describe('a form whose session ends', () => {
  it('says so, and brings the input back after the sign-in, without its secrets', async () => {
    await using opened = await openConsole(service, `${pages()}/webhooks/new`);
    const { page, context, complaints } = opened;
    await page.getByLabel('Name', { exact: true }).fill('Interrupted');
    await page.getByLabel('context.deleted', { exact: true }).uncheck();
    await openAdvanced(page);
    await page.getByRole('textbox', { name: 'Description' }).fill('Ask the team of billing');
    await page.getByText('Bearer', { exact: true }).click();
    await page.getByLabel('Token', { exact: true }).fill('top-secret');
    await context.clearCookies();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://example.com/hook');

    await page.getByText('Your session ended').waitFor();
    await page.getByText('Your unsaved changes there are kept.').waitFor();
    const kept = await page.evaluate('JSON.stringify(sessionStorage)');
    expect(kept).toContain('Interrupted');
    expect(kept).not.toContain('top-secret');

    await signIn(page);
    await page.getByText('Your unsaved changes are back').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Interrupted');
    expect(await page.getByLabel('context.deleted', { exact: true }).isChecked()).toBe(false);
    expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe(
      'Ask the team of billing',
    );
    expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe(
      'https://example.com/hook',
    );
    await page.getByRole('button', { name: 'Discard them' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    await page.reload();
    await page.getByRole('button', { name: 'Create webhook' }).waitFor();
    expect(await page.getByText('Your unsaved changes are back').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe('a form with unsaved changes', () => {
  it('asks before it is left, keeps them for Stay, and forgets them for Leave', async () => {
    const body = { url: 'https://example.com/hook', entities: ['agent'], name: 'Kept' };
    const { body: webhook } = await service.call('POST', '/webhooks', { body });
    const path = `${pages()}/webhooks/${String(webhook['uid'])}?tab=settings`;
    await using opened = await openConsole(service, path);
    const { page, complaints } = opened;
    await page.getByLabel('Name', { exact: true }).fill('Changed');
    await page.getByRole('tab', { name: 'Secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Changed');

    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    await page.goto(service.consoleUrl + path);
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept');
    expect(complaints).toEqual([]);
  });

  it('does not ask after they are saved', async () => {
    const body = { url: 'https://example.com/saved', entities: ['agent'], name: 'Before' };
    const { body: webhook } = await service.call('POST', '/webhooks', { body });
    const path = `${pages()}/webhooks/${String(webhook['uid'])}?tab=settings`;
    await using opened = await openConsole(service, path);
    const { page } = opened;
    await page.getByLabel('Name', { exact: true }).fill('After');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. The change applies from the next attempt.').waitFor();
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
  });
});

describe('a refused form', () => {
  it('leads to its first wrong field and says how many are wrong, without a call', async () => {
    await using opened = await openConsole(service, `${pages()}/webhooks/new`);
    const { page, complaints } = opened;
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') calls.push(request.url());
    });
    for (const entity of ['agent', 'context', 'contextfile'])
      await page.getByLabel(`All ${entity} events`, { exact: true }).uncheck();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('Not saved: 2 fields are wrong. They are marked above.').waitFor();
    await page.getByText('Enter the URL of your receiver.').waitFor();
    await page.getByText('Choose at least one event.').waitFor();
    await expectFocus(page, 'URL');
    expect(calls).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('opens Advanced for a field in it that the service refuses, and leads there', async () => {
    await using opened = await openConsole(service, `${pages()}/webhooks/new`);
    const { page } = opened;
    await page.getByRole('textbox', { name: 'URL' }).fill('https://example.com/hook');
    await openAdvanced(page);
    await page.getByRole('textbox', { name: 'Filter' }).fill('{"live": {}}');
    await openAdvanced(page);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('Not saved: one field is wrong. It is marked above.').waitFor();
    await expectFocus(page, 'Filter');
  });
});

async function expectFocus(page: Page, label: string): Promise<void> {
  const field = page.getByRole('textbox', { name: label });
  await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
  const box = await field.boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(900);
}
