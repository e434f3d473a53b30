// API keys and applications, as an operator handles them in the console.
import type { Page } from 'playwright-core';
import { signIn, verify } from '../integration/api/token-forge.ts';
import { createApiClient } from '../support/api-client.ts';
import { openConsole, useConsoleService } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';

const service = useConsoleService({ worker: false });
const copied = (page: Page): Promise<string> =>
  page.evaluate<string>('navigator.clipboard.readText()');

/** Calls the service like a back end with an API key. */
async function callWith(apiKey: string, path: string): Promise<number> {
  const { appUid } = service.app;
  const url = `${service.apiUrl}/api/v1/appuid/${appUid}${path}`;
  return (await fetch(url, { headers: { 'x-api-key': apiKey } })).status;
}

it('an API key is generated, used, rolled and revoked, and the audit log says by whom', async () => {
  await using opened = await openConsole(service, `/apps/${service.app.appUid}/keys`);
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'Generate API key' }).first().click();
  const form = page.getByRole('dialog', { name: 'Generate an API key' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Back end');
  await form.getByRole('checkbox', { name: 'admin' }).check();
  await form.getByRole('button', { name: 'Read only' }).click();
  expect(await form.getByRole('checkbox', { checked: true }).count()).toBe(3);
  expect(await form.getByRole('checkbox', { name: 'admin' }).isChecked()).toBe(false);
  await form.getByRole('checkbox', { name: 'events:read' }).uncheck();
  await form.getByRole('checkbox', { name: 'resources:read' }).uncheck();
  await form.getByRole('checkbox', { name: 'users:auth' }).check();
  await form.getByRole('button', { name: 'Generate key' }).click();

  const shown = page.getByRole('dialog', { name: 'API key Back end' });
  await shown.getByRole('button', { name: 'Copy', exact: true }).click();
  const first = await copied(page);
  await shown.getByRole('button', { name: 'Copy the call' }).click();
  const curl = await copied(page);
  expect(curl).toContain(`/api/v1/appuid/${service.app.appUid}/webhooks'`);
  expect(curl).toContain(`-H 'x-api-key: ${first}'`);
  await shown.getByRole('checkbox', { name: 'I have saved it' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  expect(await callWith(first, '/webhooks')).toBe(200);

  const row = page.getByRole('row').filter({ hasText: 'Back end' });
  await page.reload();
  await row.filter({ hasNotText: 'never' }).waitFor();

  await page.getByRole('button', { name: 'Actions for Back end' }).click();
  await page.getByRole('menuitem', { name: 'Roll' }).click();
  await page.getByRole('button', { name: 'Roll', exact: true }).click();
  const rolled = page.getByRole('dialog', { name: 'API key Back end' });
  await rolled.getByRole('button', { name: 'Copy', exact: true }).click();
  const second = await copied(page);
  await rolled.getByRole('checkbox', { name: 'I have saved it' }).check();
  await rolled.getByRole('button', { name: 'Done' }).click();
  await row.filter({ hasText: 'rolled' }).filter({ hasText: 'expires' }).waitFor();
  expect([await callWith(first, '/webhooks'), await callWith(second, '/webhooks')]).toEqual([
    200, 200,
  ]);

  const calls = createApiClient(service.apiUrl, { ...service.app, apiKey: first });
  const authToken = await signIn(calls, { externalId: 'ada' });
  const [, old = ''] = first.split('_');
  await page
    .getByRole('row')
    .filter({ hasText: old })
    .getByRole('button', { name: 'Actions' })
    .click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  const confirm = page.getByRole('dialog', { name: 'Revoke the key' });
  await confirm.getByLabel(`Type ${old} to confirm`).fill(old);
  await confirm.getByRole('checkbox', { name: 'Also revoke the tokens' }).check();
  await confirm.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row').filter({ hasText: old }).filter({ hasText: 'revoked' }).waitFor();
  expect([await callWith(first, '/webhooks'), await callWith(second, '/webhooks')]).toEqual([
    401, 200,
  ]);
  expect(await verify(service, authToken)).toEqual({ active: false, reason: 'revoked' });

  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'revoked' }).click();
  await page.getByRole('button', { name: `Copy ${second.split('_')[1]}` }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);

  await page.getByRole('link', { name: 'Audit log' }).click();
  for (const action of ['api_key.created', 'api_key.rolled', 'api_key.revoked']) {
    const done = page.getByRole('row').filter({ hasText: action });
    await done.getByText(service.superuser.email).first().waitFor();
  }
  expect(complaints).toEqual([]);
});

it('an application is created, and disabled and enabled once its name is typed', async () => {
  await using opened = await openConsole(service, '/apps');
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Second app');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('No API keys yet').waitFor();

  await page.goto(`${service.consoleUrl}/apps`);
  const row = page.getByRole('row').filter({ hasText: 'Second app' });
  await row.getByRole('button', { name: 'Actions for Second app' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  const confirm = page.getByRole('dialog', { name: 'Disable Second app' });
  await confirm.getByText('403 app_disabled').waitFor();
  await page.keyboard.press('Escape');
  await confirm.waitFor({ state: 'hidden' });
  const actions = row.getByRole('button', { name: 'Actions for Second app' });
  await eventually(async () =>
    expect(await actions.evaluate((button) => button.matches(':focus'))).toBe(true),
  );
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await confirm.getByLabel('Type Second app to confirm').fill('Second app');
  await confirm.getByRole('button', { name: 'Disable' }).click();
  await row.getByText('disabled').waitFor();
  await row.getByRole('button', { name: 'Actions for Second app' }).click();
  await page.getByRole('menuitem', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await row.getByText('active').waitFor();
  expect(complaints).toEqual([]);
});

it('the origins of an application are changed, and a wrong one is named', async () => {
  await using opened = await openConsole(service, `/apps/${service.app.appUid}/keys`);
  const { page, complaints } = opened;
  const section = page.getByRole('region', { name: 'Origins' });
  await section.getByText('Any origin').waitFor();
  await section.getByRole('button', { name: 'Change origins' }).click();
  const form = page.getByRole('dialog', { name: 'Change the origins' });
  const input = form.getByRole('combobox', { name: 'Origins' });
  await input.fill('https://app.example.com/');
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('origins.0 must be an origin such as').waitFor();
  await input.press('Backspace');
  for (const origin of ['https://app.example.com', 'http://localhost:5173']) {
    await input.fill(origin);
    await page.keyboard.press('Enter');
  }
  await form.getByRole('button', { name: 'Save' }).click();
  await section.getByText('https://app.example.com, http://localhost:5173').waitFor();
  const { body } = await service.call('POST', '/sdkusers/auth', { body: { externalId: 'page' } });
  const check = { authToken: body['authToken'], origin: 'https://other.example' };
  const verified = await service.call('POST', '/sdkusers/token/verify', { body: check });
  expect(verified.body).toEqual({ active: false, reason: 'origin' });
  await page.getByRole('link', { name: 'Audit log' }).click();
  const row = page.getByRole('row').filter({ hasText: 'app.origins_changed' });
  await row.getByText('https://app.example.com, http://localhost:5173').waitFor();
  expect(complaints).toEqual([]);
});
