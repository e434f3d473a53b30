// The overview; and from "something is wrong" to its cause, the repair and what was lost: at most five clicks each.
import type { Page } from 'playwright-core';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { newProcessingFile } from '../support/fixtures.ts';
import { openConsole, useConsoleService } from '../support/console.ts';
import { closedPort, type ReceivedRequest } from '../support/receivers.ts';
import { useReceiver } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { eventually } from '../support/eventually.ts';

const clicksMax = 5;
const tabsMax = 60;
let isSick = true;

const service = useConsoleService();
const receiver = useReceiver((response, { path }) => {
  if (isSick && path === '/silent') return;
  response.writeHead((isSick && Number(path.slice(1, 4))) || 204).end();
});

const pathTo = (rest: string): string => `/apps/${service.app.appUid}${rest}`;

const register = async (name: string, path: string, fields = {}): Promise<string> => {
  const url = `${receiver.url}${path}`;
  return (await registerWebhook(service, { url, name, retrySchedule: ['1h'], ...fields })).uid;
};

test('a new application shows the first steps, and then its numbers, even without webhooks', async () => {
  await using opened = await openConsole(service, `/apps/${service.app.appUid}`);
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: 'No events sent yet' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Register a webhook' }).click();
  await page.getByRole('heading', { name: 'Create a webhook', level: 1 }).waitFor();

  const webhookUids = [
    await register('Healthy', '/healthy'),
    await register('Broken', '/500'),
    await register('Gone', '/410'),
  ];
  const body = { agentName: 'Support', externalTenantId: 'tenant-1' };
  expect((await service.call('POST', '/agents', { body })).status).toBe(201);
  await eventually(async () => expect(receiver.requests.length).toBe(3));

  const stuck = newProcessingFile(service, new Date(Date.now() - 3_700_000));
  await service.store.contextFiles.insertOne({ ...stuck, fileName: '<b>manual</b>.pdf' });

  await page.goto(`${service.consoleUrl}/apps/${service.app.appUid}`);
  const troubled = page.getByRole('region', { name: '2 webhooks need attention' });
  await troubled.getByRole('group', { name: 'The receiver responded with 410' }).waitFor();
  await troubled.getByText(/It will be deactivated (on|at) /).waitFor();
  await page
    .getByText('3 attempts: 1 delivered, 1 failed with retries left, 1 exhausted.')
    .waitFor();
  const note = page.getByText('1 file has been processing for more than 1 hour.');
  await note.getByRole('link', { name: '<b>manual</b>.pdf' }).waitFor();
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

function requestsFor(eventId: string): ReceivedRequest[] {
  return receiver.requests.filter(({ body }) => body.toString().includes(eventId));
}

type Act = (page: Page, button: string) => Promise<void>;

const byClick: Act = (page, name) => page.getByRole('button', { name, exact: true }).click();

const byKeyboard: Act = async (page, name) => {
  const button = page.getByRole('button', { name, exact: true });
  const isFocused = () => button.evaluate((each) => each.matches(':focus'));
  for (let tabs = 0; tabs < tabsMax && !(await isFocused()); tabs += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
};

const testFirst = ['Test: Sick', 'Send', 'Send them now'];

test.each([
  { failure: 'a timeout', path: '/silent', steps: testFirst },
  { failure: 'status 500, by keyboard', path: '/500', act: byKeyboard, steps: testFirst },
  { failure: 'a refused connection, on a phone', path: '/refused', width: 390, steps: testFirst },
  { failure: 'status 410', path: '/410', steps: ['Resume: Sick', 'Resume and send them'] },
  {
    failure: 'one cause of two webhooks',
    path: '/500/both',
    names: ['Sick', 'Sick, too'],
    steps: ['Recover all: The receiver responded with 500', 'Send them now'],
  },
])('$failure: from the overview to the arrival of what was lost and waits', async (repair) => {
  const { path, names = ['Sick'], width = 1280, act = byClick, steps } = repair;
  isSick = true;
  const port = path === '/refused' ? await closedPort() : receiver.port;
  const fields = { externalTenantIds: [path], url: `http://127.0.0.1:${port}${path}` };
  const uids = await Promise.all(names.map((name) => register(name, path, fields)));
  const eventIds: string[] = [];
  const until = (...states: DeliveryState[]): Promise<unknown> => {
    const filter = { eventId: { $in: eventIds }, state: { $in: states } };
    const count = eventIds.length * names.length;
    const isSo = async () => (await service.store.deliveries.countDocuments(filter)) === count;
    return waitFor(isSo, { what: `${count} ${states.join(' or ')}` });
  };
  for (const uid of ['agt_1', 'agt_2']) {
    eventIds.push(await reportChange(service, { uid, externalTenantId: path }));
    await until('retrying', 'exhausted', 'held');
  }
  await using opened = await openConsole(service, pathTo(''), { width });
  const { page, complaints } = opened;
  const [first = '', ...others] = steps;
  await act(page, first);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  const opener = page.getByRole('button', { name: first, exact: true });
  await eventually(async () =>
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true),
  );
  isSick = false;
  const body = { url: `${receiver.url}${path}` };
  for (const uid of uids) await service.call('PATCH', `/webhooks/${uid}`, { body });
  await page.keyboard.press('Enter');
  for (const step of others) await act(page, step);
  expect(steps.length).toBeLessThanOrEqual(clicksMax);
  await until('delivered');
  expect(complaints).toEqual([]);
  for (const uid of uids) await service.call('DELETE', `/webhooks/${uid}`);
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
