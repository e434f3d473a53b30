import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';

let service: ConsoleService;
let receiver: Receiver;
beforeAll(async () => {
  [service, receiver] = await Promise.all([
    startConsoleService(),
    startReceiver((response, { path }) => {
      response.statusCode = { '/broken': 500, '/gone': 410 }[path] ?? 200;
      response.end();
    }),
  ]);
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function register(name: string, path: string): Promise<string> {
  const body = { name, url: `${receiver.url}${path}`, entities: ['agent'], retrySchedule: ['1h'] };
  const answer = await service.call('POST', '/webhooks', { body });
  expect(answer.status).toBe(201);
  return String(answer.body['uid']);
}

it('a new application shows the first steps, and then its numbers, even without webhooks', async () => {
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
  await expect.poll(() => receiver.requests.length).toBe(3);

  await page.goto(`${service.consoleUrl}/apps/${service.app.appUid}`);
  const troubled = page.getByRole('region', { name: '2 webhooks need attention' });
  await troubled.getByRole('group', { name: 'The receiver responded with 410' }).waitFor();
  await troubled.getByText(/It will be deactivated (on|at) /).waitFor();
  await page.getByText('3 attempts: 1 delivered, 1 to be retried, 1 exhausted.').waitFor();
  await page.getByRole('group', { name: 'Success rate' }).getByText('33.3%').waitFor();
  await page.getByRole('group', { name: 'Retrying' }).getByText('1', { exact: true }).waitFor();
  const nobody = page.getByRole('note', { name: 'A failing webhook would tell nobody' });
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

  await page.getByRole('button', { name: /^Show as a table/ }).click();
  await page
    .getByRole('table', { name: /by outcome/ })
    .getByRole('row')
    .nth(1)
    .waitFor();
  await page.getByRole('radiogroup', { name: 'Range' }).getByText('1 hour').click();
  await expect.poll(() => new URL(page.url()).search).toBe('?range=1h');
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
