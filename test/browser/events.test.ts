// Events, the live stream, replays, syncs and erasures, in a browser.
import { openConsole, useConsoleService } from '../support/console.ts';
import { blockedMsAllowed } from '../support/event-loop.ts';
import { insertEvent } from '../support/fixtures.ts';
import { useReceiver } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { eventually } from '../support/eventually.ts';

const hostile = '</script><img src=x onerror="document.title=1">\u202Eexe\u001B[2J';
const megabyte = 1024 * 1024;

const service = useConsoleService();
const receiver = useReceiver((response, { path }) => {
  response.writeHead(path === '/failing' ? 500 : 204).end();
});

const pathTo = (rest: string): string => `/apps/${service.app.appUid}${rest}`;

async function register(externalTenantId: string, path: string, name: string) {
  const url = receiver.url + path;
  const fields = { url, name, externalTenantIds: [externalTenantId], retrySchedule: [] };
  return registerWebhook(service, fields);
}

const receivedBy = (path: string): number =>
  receiver.requests.filter((request) => request.path === path).length;

test('an event of a resource is found, shown, and resent to another webhook', async () => {
  const first = await register('shop', '/first', 'First');
  await register('other', '/second', 'Second');
  await reportChange(service, { uid: 'agt_7', externalTenantId: 'shop', note: hostile });
  await reportChange(service, { uid: 'agt_8', externalTenantId: 'shop' });
  await waitFor(() => receivedBy('/first') === 2, { what: 'the deliveries' });
  await using opened = await openConsole(service, pathTo('/events'));
  const { page, complaints } = opened;
  await page.getByRole('textbox', { name: 'Resource ID' }).fill('agt_7');
  await eventually(async () => expect(page.url()).toContain('resourceUid=agt_7'));
  await page.reload();
  await eventually(async () =>
    expect(await page.getByRole('link', { name: 'agent.updated' }).count()).toBe(1),
  );
  await page.getByRole('link', { name: 'agent.updated' }).click();
  await page.getByRole('link', { name: 'First' }).waitFor();
  const note = page.getByRole('tree', { name: 'Payload' }).getByRole('treeitem', { name: 'note' });
  await note
    .getByText('</script><img src=x onerror="document.title=1">⟨202E⟩exe⟨001B⟩[2J')
    .waitFor();
  await page.getByRole('button', { name: 'Resend', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Resend the event' });
  await dialog.getByRole('combobox', { name: 'Webhooks' }).click();
  await page.getByRole('option', { name: 'Second' }).click();
  await page.keyboard.press('Tab');
  // The first webhook already has the event, so it is not preselected.
  await dialog.getByRole('button', { name: 'Resend to 1 webhook' }).click();
  await page.getByRole('link', { name: 'Second' }).waitFor();
  await waitFor(() => receivedBy('/second') === 1, { what: 'the event at the second webhook' });
  expect(receivedBy('/first')).toBe(2);
  await page.getByRole('button', { name: 'Resend', exact: true }).click();
  await dialog.getByRole('combobox', { name: 'Webhooks' }).click();
  await page.getByRole('option', { name: 'First' }).click();
  await page.keyboard.press('Tab');
  await dialog.getByText('It was already delivered. The receiver will get it again.').waitFor();
  await dialog.getByRole('button', { name: 'Resend to 1 webhook' }).click();
  await waitFor(() => receivedBy('/first') === 3, { what: 'the event at the first webhook' });
  expect(await page.title()).toBe('agent.updated · agent-herald');
  expect(complaints).toEqual([]);
  await service.call('DELETE', `/webhooks/${first.uid}`);
});

test('a payload of one megabyte-long line, and one with many fields, leave the page responsive', async () => {
  const long = `<b>${'é'.repeat(megabyte)}`;
  const many = Array.from({ length: 50_000 }, (_, n) => n);
  const event = await insertEvent(service, []);
  const body = JSON.stringify({ eventId: event._id, data: { long, many } });
  await service.store.events.updateOne({ _id: event._id }, { $set: { body } });
  await using opened = await openConsole(service, pathTo(`/events/${event._id}`));
  const { page, complaints } = opened;
  const tree = page.getByRole('tree', { name: 'Payload' });
  await tree.getByRole('treeitem', { name: 'many' }).click();
  await tree.focus();
  await page.keyboard.press('End');
  await tree.getByRole('treeitem', { name: '49999' }).waitFor();
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(100);
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Show more (1,048,579 characters)' }).click();
  await page.getByRole('button', { name: 'Show all 1,048,579 characters' }).click();
  const clicked = Date.now();
  await page.getByText('Raw', { exact: true }).click();
  await page.getByRole('button', { name: /^Show all 1,3/ }).waitFor();
  // 5 s on a usual machine.
  expect(Date.now() - clicked).toBeLessThan(100 * blockedMsAllowed());
  expect(complaints).toEqual([]);
});

test('the live page shows the last events and a new one, and continues after an interruption', async () => {
  const make = () => reportChange(service, { externalTenantId: 'live' });
  const before = await make();
  await using opened = await openConsole(service, pathTo('/events/live?externalTenantId=live'));
  const { page, context, complaints } = opened;
  await page.getByRole('status').getByText('live', { exact: true }).waitFor();
  const link = (eventId: string) => page.getByRole('row').filter({ hasText: eventId });
  await link(before).waitFor();
  await link(await make()).waitFor();

  const open = await context.newPage();
  let isCut = true;
  // Not removed later: a request waiting for it would never get a response.
  await open.route('**/events/stream?*', (route) => (isCut ? route.abort() : route.continue()));
  await open.goto(page.url());
  await open.getByRole('status').getByText('reconnecting').waitFor();
  isCut = false;
  // The next try can take up to half a minute.
  await open.getByRole('status').getByText('live', { exact: true }).waitFor({ timeout: 90_000 });
  expect(complaints).toEqual([]);
});

test('failures of the last hour are counted, then replayed; a paused webhook holds them', async () => {
  const { uid } = await register('outage', '/failing', 'Outage');
  for (let n = 0; n < 3; n += 1) await reportChange(service, { externalTenantId: 'outage' });
  const exhausted = async (): Promise<boolean> => {
    const { body } = await service.call('GET', `/webhooks/${uid}/deliveries?state=exhausted`);
    return (body['data'] as unknown as unknown[]).length === 3;
  };
  await waitFor(exhausted, { what: 'three dead letters' });
  const body = { url: `${receiver.url}/repaired` };
  expect((await service.call('PATCH', `/webhooks/${uid}`, { body })).status).toBe(200);
  await using opened = await openConsole(service, pathTo('/replays'));
  const { page, complaints } = opened;
  await page.getByRole('link', { name: 'Start a replay' }).first().click();
  const counting = page.waitForRequest((request) => request.url().endsWith('/replays'));
  await page.getByRole('button', { name: 'Count deliveries' }).click();
  const { states, cancelReasons } = (await counting).postDataJSON() as Record<string, unknown>;
  const period = { since: '2020-01-01T00:00:00Z', until: '2020-01-02T00:00:00Z' };
  const byDefault = await service.call('POST', '/replays', { body: period });
  expect(byDefault.body).toMatchObject({ states, cancelReasons });
  const count = page.getByRole('status').filter({ hasText: '3 deliveries would be sent again' });
  await count.getByRole('listitem').filter({ hasText: 'Outage: 3' }).waitFor();
  await count.getByText('By state: 3 exhausted.').waitFor();
  expect(receivedBy('/repaired')).toBe(0);
  await page.getByRole('textbox', { name: 'Tenant' }).fill('outage');
  await page.getByRole('button', { name: 'Count deliveries' }).click();
  await page.getByRole('button', { name: 'Start replay' }).click();
  await page.getByRole('heading', { name: 'Replay', level: 1 }).waitFor();
  await page.getByText('3 delivered', { exact: true }).waitFor();
  await page.getByRole('progressbar', { name: '100% of the period' }).waitFor();
  await waitFor(() => receivedBy('/repaired') === 3, { what: 'the replayed deliveries' });

  const pause = { body: { active: false } };
  expect((await service.call('PATCH', `/webhooks/${uid}`, pause)).status).toBe(200);
  await page.goto(`${service.consoleUrl}${pathTo(`/replays/new?webhookUid=${uid}`)}`);
  await page.getByRole('radiogroup', { name: 'Deliveries to send' }).getByText('Custom').click();
  await page.getByRole('checkbox', { name: /^delivered:/ }).check();
  await page.getByRole('button', { name: 'Count deliveries' }).click();
  await page.getByRole('button', { name: 'Start replay' }).click();
  await page.getByText('Replay started. The webhook is paused and holds').waitFor();
  const target = page.getByRole('listitem').filter({ hasText: 'Outage: 3. The webhook is paused' });
  await target.waitFor();
  await page.getByText('3 held', { exact: true }).waitFor();
  expect(receivedBy('/repaired')).toBe(3);
  expect(complaints).toEqual([]);
});

test('an erasure of a tenant is confirmed by typing, and empties its events', async () => {
  const eventId = await reportChange(service, { externalTenantId: 'leaver' });
  await using opened = await openConsole(service, pathTo('/erasures'));
  const { page, complaints } = opened;
  await page.getByRole('textbox', { name: 'Tenant' }).fill('leaver');
  await page.getByRole('button', { name: 'Erase…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase permanently?' });
  await dialog.getByText('Payloads to delete, with their responses: 1.').waitFor();
  const erase = dialog.getByRole('button', { name: 'Erase' });
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByLabel('Type leaver to confirm').fill('leaver');
  await erase.click();
  await page.getByRole('row').filter({ hasText: 'running' }).waitFor();
  const isErased = async (): Promise<boolean> =>
    (await service.call('GET', `/events/${eventId}`)).body['payload'] === null;
  await waitFor(isErased, { what: 'the payload to be gone' });
  await page.goto(service.consoleUrl + pathTo(`/events/${eventId}`));
  await page.getByText('It was erased').waitFor();
  expect(await page.getByRole('button', { name: 'Resend' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a sync sends what it counted, and its events say what sent them', async () => {
  const below = `/apps/${service.app.appUid}`;
  const make = async (path: string, body: object): Promise<string> =>
    String((await service.call('POST', path, { body })).body['uid']);
  for (const externalTenantId of ['copied-1', 'copied-2']) {
    await make('/agents', { agentName: 'Agent', externalTenantId });
  }
  const hook = { url: `${receiver.url}/copied`, name: 'Copy', entities: ['agent', 'context'] };
  const uid = await make('/webhooks', hook);
  await using opened = await openConsole(service, `${below}/webhooks/${uid}`);
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Sync the present state' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Tenants').fill('copied-1');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Count resources' }).click();
  await dialog.getByText('1 to send: 1 agent, 0 contexts and 0 context files.').waitFor();
  await dialog.getByRole('button', { name: 'Start sync' }).click();
  await page.getByRole('heading', { name: 'Sync', level: 1 }).waitFor();
  await page.getByText('It waits 15 seconds for changes that are being written').waitFor();
  await page.getByText('done', { exact: true }).waitFor();
  await page.getByText('1 agent, 0 contexts and 0 context files queued').waitFor();
  const request = receiver.requests.find(({ path }) => path === '/copied');
  expect(request?.headers).toMatchObject({ 'x-webhook-trigger': 'sync' });
  const eventId = String(request?.headers['webhook-id']);
  await page.goto(`${service.consoleUrl}${below}/events/${eventId}`);
  await page.getByRole('link', { name: 'a sync of the present state' }).click();
  await page.getByRole('heading', { name: 'Sync', level: 1 }).waitFor();
  await page.goto(`${service.consoleUrl}${below}/replays`);
  await page.getByRole('table', { name: 'Syncs' }).getByText('Copy').waitFor();
  expect(complaints).toEqual([]);
});
