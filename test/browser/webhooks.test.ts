import type { Page } from 'playwright-core';
import { newWebhookSecret } from '../../lib/webhooks/signature.ts';
import { makeTestAdmin } from '../support/admin-client.ts';
import { openConsole, useConsoleService } from '../support/console.ts';
import { useReceiver } from '../support/use-service.ts';

const hostileAnswer = 'kept \u001B[31mred\u001B[0m <img src=x onerror=alert(1)> \u202Edesrever';
const service = useConsoleService();
const receiver = useReceiver((response) => response.end(hostileAnswer));

const pages = (): string => `/apps/${service.app.appUid}`;

async function register(fields: object = {}): Promise<string> {
  const body = { url: `${receiver.url}/hook`, entities: ['agent'], ...fields };
  const { body: webhook } = await service.call('POST', '/webhooks', { body });
  return String(webhook['uid']);
}

async function createAgents(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const body = { agentName: `Agent ${n}`, externalTenantId: 'tenant-1' };
    const { status } = await service.call('POST', '/agents', { body });
    expect(status).toBe(201);
  }
}

/** Confirms that the secret in the dialog is saved, and returns it. */
async function saveSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  const secret = await dialog.getByText(/^whsec_/).textContent();
  await dialog.getByLabel('I have saved it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  return secret ?? '';
}

it('creating a webhook shows why a URL is rejected, and shows the new secret once', async () => {
  await using opened = await openConsole(service, `${pages()}/webhooks/new`);
  const { page, complaints } = opened;
  await page.getByLabel('URL').fill('http://10.0.0.1/hook');
  await page.getByText('url host 10.0.0.1 is not a public address').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Billing');
  await page.getByRole('button', { name: /^Advanced/ }).click();
  await page.getByRole('textbox', { name: 'Filter' }).fill('{"live": ');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('The filter is not a valid JSON object').waitFor();
  await page.getByRole('textbox', { name: 'Filter' }).fill('{"live": {}}');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('Not saved: 2 fields are wrong. They are marked above.').waitFor();
  await page.getByRole('textbox', { name: 'Filter' }).fill('');

  await page.getByLabel('URL').fill(`${receiver.url}/hook`);
  await page.getByText('is not a public address').waitFor({ state: 'detached' });
  await page.getByLabel('agent.deleted', { exact: true }).uncheck();
  await page.getByLabel('All context events', { exact: true }).uncheck();
  await page.getByLabel('Maximum requests per second', { exact: true }).fill('5');
  const perTenant = page.getByLabel('Maximum requests per second for each tenant');
  await perTenant.fill('5');
  await page.getByRole('checkbox', { name: 'CloudEvents' }).check();
  await page.getByLabel('Secret', { exact: true }).fill('whsec_c2hvcnQ=');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('secret must be whsec_ followed by 24 to 64 bytes in base64').waitFor();
  const own = newWebhookSecret();
  await page.getByLabel('Secret', { exact: true }).fill(own);
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('ratePerSecondPerTenant needs ratePerSecond to be null').waitFor();
  await page.getByLabel('Maximum requests per second', { exact: true }).fill('');
  await page.getByLabel('Custom schedule').check();
  await page.getByText('12 attempts over 3 d 3 h.').waitFor();
  await page.getByRole('button', { name: 'Add header' }).click();
  await page.getByLabel('Header 1: name').fill('X-Team');
  await page.getByLabel('Header 1: value').fill('search-secret');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page
    .getByRole('dialog')
    .getByText(/^whsec_/)
    .waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('k');
  // The next page opens only after the secret is saved.
  expect(await saveSecret(page)).toBe(own);

  await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
  await page.getByText('agent.created, agent.updated').waitFor();
  await page.getByText('X-Team', { exact: true }).waitFor();
  await page.getByText('at most 5 per second for each tenant').waitFor();
  await page.getByText('headers are sent').waitFor();
  expect(await page.content()).not.toMatch(/whsec_|search-secret/);
  expect(complaints).toEqual([]);
});

it('an owner turns on proof of control, and a failed challenge is shown at Resume and at a creation', async () => {
  const uid = await register({ name: 'Unproven', active: false });
  const failed = 'the receiver failed the challenge: it responded with 200 and another body';
  await using opened = await openConsole(service, `${pages()}/webhooks`);
  const { page } = opened;
  try {
    await page.getByLabel('Receivers prove control').click();
    await page.getByText('Receivers must now prove control.').waitFor();
    await page.goto(`${service.consoleUrl}${pages()}/webhooks/${uid}`);
    await page.getByRole('button', { name: 'Resume' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByText(failed).waitFor();
    await page.goto(`${service.consoleUrl}${pages()}/webhooks/new`);
    await page.getByLabel('URL').fill(`${receiver.url}/hook`);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('alert').getByText(failed).waitFor();
  } finally {
    const filter = { _id: service.app.appUid };
    await service.store.apps.updateOne(filter, { $set: { webhookChallenge: false } });
  }
});

it('the page of a webhook has the signatures, and shows the public keys of the application', async () => {
  const uid = await register({ name: 'Asymmetric' });
  const below = `${pages()}/webhooks/${uid}`;
  await using opened = await openConsole(service, `${below}?tab=settings`);
  const { page, complaints } = opened;
  await page.getByRole('button', { name: /^Advanced/ }).click();
  await page.getByRole('checkbox', { name: /^v1:/ }).uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Choose at least one version.').waitFor();
  await page.getByRole('checkbox', { name: /^v1a:/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. The change applies from the next attempt.').waitFor();
  const { body } = await service.call('GET', `/webhooks/${uid}`);
  expect(body['signatures']).toEqual(['v1a']);
  await page.goto(`${service.consoleUrl}${below}`);
  const shown = await page.getByText(/^whpk_/).textContent();
  const set = await service.call('GET', '/.well-known/webhook-keys.json');
  const [key] = set.body['keys'] as unknown as { x: string }[];
  const bytes = Buffer.from(key?.x ?? '', 'base64url');
  expect(shown).toBe(`whpk_${bytes.toString('base64')}`);
  await page.getByText(/^http.*\/\.well-known\/webhook-keys\.json$/).waitFor();
  expect(complaints).toEqual([]);
});

it('the page of a webhook rotates the secret, shows which secret signs which header, and promotes the new one', async () => {
  const uid = await register({ name: 'Rotated' });
  await using opened = await openConsole(service, `${pages()}/webhooks/${uid}?tab=secret`);
  const { page, complaints } = opened;
  const signers = page.getByRole('table', { name: 'Which secret signs which header' });
  await signers
    .getByRole('row', { name: /^No rotation in progress .*the secret the secret/ })
    .waitFor();
  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  const rotating = page.getByRole('dialog');
  const own = newWebhookSecret();
  await rotating.getByLabel('New secret').fill(`whsec_${'A'.repeat(32)}`);
  await rotating.getByRole('button', { name: 'Rotate' }).click();
  await rotating.getByText('secret has too few different bytes').waitFor();
  await rotating.getByLabel('New secret').fill(own);
  await rotating.getByRole('button', { name: 'Rotate' }).click();
  expect(await saveSecret(page)).toBe(own);
  const before = /^Before you promote the new secret .*the old secret the new and the old secret/;
  await signers.getByRole('row', { name: before }).waitFor();
  await page.getByRole('button', { name: 'Promote the new secret' }).click();
  const question = page.getByRole('dialog', { name: 'Promote the new secret?' });
  await signers.getByRole('row', { name: before }).waitFor();
  await question.getByRole('button', { name: 'Promote' }).click();
  const after = /^Promoted .*the new secret the new and the old secret/;
  await signers.getByRole('row', { name: after }).waitFor();
  await page.getByText('The new secret is promoted.').waitFor();
  expect(await page.content()).not.toContain('whsec_');
  expect(complaints).toEqual([]);
});

it('the page of a webhook sends a test event, and shows the response as text, whatever it contains', async () => {
  const name = '<img src=x onerror=alert(1)> \u202Egnp';
  const uid = await register({ name, description: '<b>bold</b> \u2066isolated' });
  await using opened = await openConsole(service, `${pages()}/webhooks/${uid}`);
  const { page, complaints } = opened;
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => dialogs.push(dialog.message()));
  await page.getByRole('heading', { name: '<img src=x onerror=alert(1)> ⟨202E⟩gnp' }).waitFor();
  await page.getByText('<b>bold</b> ⟨2066⟩isolated').waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.getByText('Status 200').waitFor();
  await dialog.getByText('delivered').waitFor();
  const shown = await dialog.getByLabel('Response body').textContent();
  expect(shown).toContain('<img src=x onerror=alert(1)> ⟨202E⟩desrever');
  expect(shown).not.toContain('\u001B');
  expect(await page.locator('main img').count()).toBe(0);
  expect(dialogs).toEqual([]);
  expect(complaints).toEqual([]);
});

it('the page of a webhook is deleted once the word is typed, after lost deliveries were counted', async () => {
  const uid = await register({ name: 'Deleted' });
  await using opened = await openConsole(service, `${pages()}/webhooks/${uid}`);
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Recover deliveries' }).click();
  await page.getByRole('dialog').getByText('No deliveries wait, and none were lost.').waitFor();
  expect(await page.getByRole('dialog').getByRole('button', { name: /Send/ }).count()).toBe(0);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Deleted' });
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type delete to confirm').fill('delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Deleted', exact: true }).waitFor({ state: 'detached' });
  expect((await service.call('GET', `/webhooks/${uid}`)).status).toBe(404);
  expect(complaints).toEqual([]);
});

it('the list tells webhooks of one URL apart, shows state, held count and success, and filters by state', async () => {
  const url = `${receiver.url}/twins`;
  const twins = [await register({ url }), await register({ url })];
  await register({ name: 'Sleeper', url: `${receiver.url}/sleeper`, active: false });
  await createAgents(1);
  await using opened = await openConsole(service, `${pages()}/webhooks`);
  const { page, complaints } = opened;
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  for (const uid of twins)
    await row(`…${uid.slice(-6)}`)
      .getByText('100%')
      .waitFor();
  await row('Sleeper').getByText('1 held').waitFor();
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'paused' }).click();
  await row('/twins').first().waitFor({ state: 'detached' });
  await row('Sleeper').getByText('paused').waitFor();
  expect(new URL(page.url()).search).toBe('?state=paused');
  expect(complaints).toEqual([]);
});

it('a viewer sees no button that changes a webhook', async () => {
  const uid = await register({ name: 'Watched' });
  const viewer = await makeTestAdmin(service);
  const body = { email: viewer.email, role: 'viewer' };
  await service.superuser.call('POST', `/apps/${service.app.appUid}/members`, { body });
  await using opened = await openConsole(service, `${pages()}/webhooks`, { admin: viewer });
  const { page, complaints } = opened;
  await page.getByRole('link', { name: 'Watched', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Create webhook' }).count()).toBe(0);
  await page.goto(`${service.consoleUrl}${pages()}/webhooks/${uid}?tab=secret`);
  await page.getByRole('table', { name: 'Which secret signs which header' }).waitFor();
  const changing = /Pause|Resume|Send test|More|Rotate|Promote|Delete|Save/;
  expect(await page.locator('main').getByRole('button', { name: changing }).count()).toBe(0);
  expect(await page.getByRole('tab', { name: 'Settings' }).count()).toBe(0);
  await page.goto(`${service.consoleUrl}${pages()}/webhooks/new`);
  await page.getByText('You have read-only access').waitFor();
  expect(complaints).toEqual([]);
});
