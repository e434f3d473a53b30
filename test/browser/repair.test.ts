// The overview; and from "something is wrong" to its cause, the repair and what was lost: at most six clicks each.
import { openConsole, useConsoleService } from '../support/console.ts';
import type { ReceivedRequest } from '../support/receivers.ts';
import { useReceiver } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { eventually } from '../support/eventually.ts';

const clicksMax = 6;
let isSick = false;

const service = useConsoleService();
const receiver = useReceiver((response, { path }) => {
  const usual = isSick ? 401 : 204;
  response.writeHead({ '/broken': 500, '/gone': 410 }[path] ?? usual).end();
});

const pathTo = (rest: string): string => `/apps/${service.app.appUid}${rest}`;

async function register(name: string, path: string): Promise<string> {
  const body = { name, url: `${receiver.url}${path}`, entities: ['agent'], retrySchedule: ['1h'] };
  const answer = await service.call('POST', '/webhooks', { body });
  expect(answer.status).toBe(201);
  return String(answer.body['uid']);
}

test('a new application shows the first steps, and then its numbers, even without webhooks', async () => {
  await using opened = await openConsole(service, `/apps/${service.app.appUid}`);
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: 'No events sent yet' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Register a webhook' }).click();
  await page.getByRole('heading', { name: 'Create a webhook', level: 1 }).waitFor();

  const webhookUids = [
    await register('Healthy', '/healthy'),
    await register('Broken', '/broken'),
    await register('Gone', '/gone'),
  ];
  const body = { agentName: 'Support', externalTenantId: 'tenant-1' };
  expect((await service.call('POST', '/agents', { body })).status).toBe(201);
  await eventually(async () => expect(receiver.requests.length).toBe(3));

  await page.goto(`${service.consoleUrl}/apps/${service.app.appUid}`);
  const troubled = page.getByRole('region', { name: '2 webhooks need attention' });
  await troubled.getByRole('group', { name: 'The receiver responded with 410' }).waitFor();
  await troubled.getByText(/It will be deactivated (on|at) /).waitFor();
  await page
    .getByText('3 attempts: 1 delivered, 1 failed with retries left, 1 exhausted.')
    .waitFor();
  await page.getByRole('group', { name: 'Success rate' }).getByText('33.3%').waitFor();
  await page.getByRole('group', { name: 'Retrying' }).getByText('1', { exact: true }).waitFor();
  const nobody = page.getByRole('note', { name: 'Nobody is notified when a webhook fails' });
  await nobody.getByRole('button', { name: 'Do not show this again' }).click();
  await nobody.waitFor({ state: 'detached' });
  await page.evaluate('localStorage.clear()');
  await page.reload();
  await nobody.getByRole('link', { name: 'Create an operations webhook' }).click();
  await page.getByRole('radio', { name: /operations/i, checked: true }).waitFor();
  const operations = { kind: 'operations', url: `${receiver.url}/healthy` };
  const told = await service.call('POST', '/webhooks', { body: operations });
  await page.goBack();
  await troubled.waitFor();
  await nobody.waitFor({ state: 'detached' });
  webhookUids.push(String(told.body['uid']));
  const incidents = page.getByRole('region', { name: 'Latest incidents' });
  await incidents
    .getByText(/the service deactivated Gone because its receiver responded with 410/)
    .waitFor();

  await page.getByRole('button', { name: 'Show as a table' }).click();
  await page
    .getByRole('table', { name: /by outcome/ })
    .getByRole('row')
    .nth(1)
    .waitFor();
  await page.getByRole('radiogroup', { name: 'Range' }).getByText('1 hour').click();
  await eventually(async () => expect(new URL(page.url()).search).toBe('?range=1h'));
  await page.getByRole('heading', { name: 'Attempts, last hour' }).waitFor();
  await troubled.getByRole('link', { name: 'Broken' }).click();
  await page.getByText('This webhook is failing').waitFor();

  await page.getByRole('link', { name: 'agent-herald' }).click();
  const failing = page.getByRole('table', { name: 'Failing webhooks' });
  const row = failing
    .getByRole('row')
    .filter({ hasText: receiver.url })
    .filter({ hasText: 'Broken' });
  await row.getByText('failing', { exact: true }).waitFor();
  await row.getByRole('link', { name: 'Broken' }).click();
  await page.getByText('This webhook is failing').waitFor();

  for (const uid of webhookUids)
    expect((await service.call('DELETE', `/webhooks/${uid}`)).status).toBeLessThan(300);
  await page.goto(`${service.consoleUrl}/apps/${service.app.appUid}`);
  await page.getByRole('heading', { name: 'Attempts, last 24 hours' }).waitFor();
  expect(await page.getByRole('heading', { name: 'No events sent yet' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

async function lose(webhookUid: string, externalTenantId: string): Promise<string> {
  const eventId = await reportChange(service, { externalTenantId });
  const isLost = async () =>
    (await service.store.deliveries.findOne({ eventId, webhookUid }))?.state === 'exhausted';
  await waitFor(isLost, { what: 'the loss' });
  return eventId;
}

function requestsFor(eventId: string): ReceivedRequest[] {
  return receiver.requests.filter(({ body }) => body.toString().includes(eventId));
}

test('the whole way can be gone by the keyboard alone, and the focus returns to where it began', async () => {
  const name = 'By keyboard';
  const fields = { externalTenantIds: ['keyboard'], retrySchedule: [] };
  const { uid } = await registerWebhook(service, { url: `${receiver.url}/keys`, name, ...fields });
  isSick = true;
  const eventId = await lose(uid, 'keyboard');
  await using opened = await openConsole(service, pathTo(''));
  const { page } = opened;
  const press = async (button: string): Promise<void> => {
    await page.getByRole('button', { name: button }).first().focus();
    await page.keyboard.press('Enter');
  };
  await press(`Recover: ${name}`);
  await page.getByRole('dialog', { name: 'Recover lost deliveries' }).waitFor();
  await page.keyboard.press('Escape');
  const opener = page.getByRole('button', { name: `Recover: ${name}` });
  await eventually(async () =>
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true),
  );
  isSick = false;
  await press(`Test: ${name}`);
  await press('Send');
  await press('Recover lost deliveries');
  await press('Count deliveries');
  await page.getByText('1 delivery was lost.').waitFor();
  await press('Recover deliveries');
  await waitFor(() => requestsFor(eventId).length === 2, { what: 'the recovered delivery' });
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('a filter that matches nothing: the event names the condition, and missed events are sent', async () => {
  const filter = { 'owner.team': 'coer' };
  const fields = { filter, externalTenantIds: ['filter'] };
  const url = `${receiver.url}/filtered`;
  const { uid } = await registerWebhook(service, { url, name: 'Filtered', ...fields });
  const eventId = await reportChange(service, {
    externalTenantId: 'filter',
    owner: { team: 'core' },
  });
  await using opened = await openConsole(service, pathTo(`/events/${eventId}`));
  const { page } = opened;
  let clicks = 0;
  const click = async (role: 'button' | 'link', name: string): Promise<void> => {
    clicks += 1;
    await page.getByRole(role, { name }).first().click();
  };
  await page.getByText('owner.team is "coer"').waitFor();
  await click('link', 'Filtered');
  const field = page.getByRole('textbox', { name: 'Filter' });
  await field.fill('{"owner.team": "core"}');
  await click('button', 'Save');
  await page.getByText('Saved.').first().waitFor();
  await click('link', 'Replay missed events');
  await click('button', 'Count deliveries');
  await page.getByText('By state: 1 never attempted.').waitFor();
  await click('button', 'Start replay');
  expect(clicks).toBeLessThanOrEqual(clicksMax);
  await waitFor(() => requestsFor(eventId).length === 1, { what: 'the missed event' });
  await service.call('DELETE', `/webhooks/${uid}`);
});
