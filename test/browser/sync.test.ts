// A sync in the console: counted, started, followed and cancelled.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';

let service: ConsoleService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startConsoleService();
  receiver = await startReceiver((response) => response.end());
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

test('a sync sends what it counted, and its events say what sent them', async () => {
  const below = `/apps/${service.app.appUid}`;
  const make = async (path: string, body: object): Promise<string> =>
    String((await service.call('POST', path, { body })).body['uid']);
  for (const externalTenantId of ['tenant-1', 'tenant-2']) {
    await make('/agents', { agentName: 'Agent', externalTenantId });
  }
  const hook = { url: `${receiver.url}/hook`, name: 'Copy', entities: ['agent', 'context'] };
  const uid = await make('/webhooks', hook);
  await using opened = await openConsole(service, `${below}/webhooks/${uid}`);
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Sync the present state' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Tenants').fill('tenant-1');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Count resources' }).click();
  await dialog.getByText('1 to send: 1 agent, 0 contexts and 0 context files.').waitFor();
  await dialog.getByRole('button', { name: 'Start sync' }).click();
  await page.getByRole('heading', { name: 'Sync', level: 1 }).waitFor();
  await page.getByText('It begins 15 seconds after its start').waitFor();
  await page.getByText('done', { exact: true }).waitFor();
  await page.getByText('1 agent, 0 contexts and 0 context files queued').waitFor();
  const [request] = receiver.requests;
  expect(request?.headers).toMatchObject({ 'x-webhook-trigger': 'sync' });
  const eventId = String(request?.headers['webhook-id']);
  await page.goto(`${service.consoleUrl}${below}/events/${eventId}`);
  await page.getByRole('link', { name: 'a sync of the present state' }).click();
  await page.getByRole('heading', { name: 'Sync', level: 1 }).waitFor();
  await page.goto(`${service.consoleUrl}${below}/replays`);
  await page.getByRole('table', { name: 'Syncs' }).getByText('Copy').waitFor();
  expect(complaints).toEqual([]);
});

test('a running sync can be cancelled', async () => {
  const body = { url: `${receiver.url}/other`, entities: ['context'] };
  const webhook = await service.call('POST', '/webhooks', { body });
  const path = `/webhooks/${String(webhook.body['uid'])}/sync`;
  const sync = await service.call('POST', path, { body: {} });
  const below = `/apps/${service.app.appUid}`;
  await using opened = await openConsole(service, `${below}/syncs/${String(sync.body['uid'])}`);
  const { page } = opened;
  await page.getByRole('button', { name: 'Cancel sync' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel sync' }).click();
  await page.getByText('cancelled', { exact: true }).waitFor();
});
