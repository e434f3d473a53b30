// How an operator handles failing deliveries, in a browser.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { openConsole, useConsoleService } from '../support/console.ts';
import { useReceiver } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { eventually } from '../support/eventually.ts';

const hostile = '<img src=x onerror="document.title=1">\u202Etxt.exe\u001B[31mred\u0007 ';
const hostileAnswer = `${hostile}${'x'.repeat(100)}`;

const service = useConsoleService();
const receiver = useReceiver((response, { path }) => {
  const headers = { server: 'gate/1', 'x-request-id': '<b>req-7</b>' };
  if (path === '/failing') response.writeHead(500, headers).end(hostileAnswer);
  else response.writeHead(204).end();
});

const pathTo = (rest: string): string => `/apps/${service.app.appUid}${rest}`;

interface Failing {
  uid: string;
  secret: string;
  eventId: string;
}

/** Registers a webhook whose receiver fails, and reports a change that it gets. */
async function makeFailing(tenant: string, schedule: string[], name: string): Promise<Failing> {
  const { uid, secret } = await registerWebhook(service, {
    url: `${receiver.url}/failing`,
    name,
    externalTenantIds: [tenant],
    retrySchedule: schedule,
  });
  const eventId = await reportChange(service, { externalTenantId: tenant, note: hostile });
  return { uid, secret, eventId };
}

async function stateOf({ eventId, uid }: Failing): Promise<string> {
  const { body } = await service.call('GET', `/events/${eventId}/deliveries/${uid}`);
  return `${body['state']} ${body['attemptCount']}`;
}

async function correct({ uid }: Failing): Promise<void> {
  const body = { url: `${receiver.url}/working?tags[]={a}` };
  expect((await service.call('PATCH', `/webhooks/${uid}`, { body })).status).toBe(200);
}

test('a failing delivery shows why and when; fixed and resent, it is delivered', async () => {
  const failing = await makeFailing('tenant-1', ['1s', '2h', '1d'], 'Shop <b>1</b>');
  await waitFor(async () => (await stateOf(failing)) === 'retrying 2', { what: 'two attempts' });
  await using opened = await openConsole(service, pathTo('/deliveries'));
  const { page, complaints } = opened;
  await page.getByRole('combobox', { name: 'Outcome' }).click();
  await page.getByRole('option', { name: 'retrying' }).click();
  await page.getByRole('combobox', { name: 'Tenant' }).fill('tenant-1');
  await eventually(async () =>
    expect(page.url()).toContain('state=retrying&externalTenantId=tenant-1'),
  );
  await page.reload();
  const valueOf = (name: string) => page.getByRole('combobox', { name }).inputValue();
  await eventually(async () => expect(await valueOf('Outcome')).toBe('retrying'));
  await eventually(async () => expect(await valueOf('Tenant')).toBe('tenant-1'));
  await page.getByRole('link', { name: 'agent.updated' }).waitFor();
  expect(await page.getByRole('checkbox', { name: 'Select failed' }).count()).toBe(0);
  await page.getByRole('link', { name: 'agent.updated' }).click();
  await page.getByRole('heading', { name: 'Delivery of agent.updated', level: 1 }).waitFor();
  const meaning =
    /responded with 500, twice in a row\. The next attempt is in [12] h( \d+ min)?; 1 more follows/;
  await page.getByText(meaning).waitFor();
  const answer = page.getByLabel('Response to attempt 2');
  await eventually(async () =>
    expect(await answer.innerText()).toContain('<img src=x onerror="document.title=1">'),
  );
  expect(await answer.innerText()).toContain('⟨202E⟩txt.exe');
  const headers = page.getByLabel('Response headers of attempt 2');
  expect(await headers.innerText()).toMatch(/server: gate\/1\s+x-request-id: <b>req-7<\/b>/);
  await page.getByText('Sent with X-Webhook-Attempt 2 and webhook-timestamp').waitFor();
  await page.getByRole('button', { name: 'Attempt 1 500' }).click();
  await page.getByLabel('Response to attempt 1').waitFor();

  await correct(failing);
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('The receiver responded with 204 on attempt 3, after 2 failures.').waitFor();
  await page.getByRole('button', { name: 'Attempt 3 204', expanded: true }).waitFor();
  expect(await page.title()).toBe('Delivery of agent.updated · agent-herald');
  expect(complaints).toEqual([]);
});

test('a delivery that its receiver never accepts is skipped, after a question', async () => {
  const failing = await makeFailing('tenant-skip', ['1d'], 'Never');
  await waitFor(async () => (await stateOf(failing)) === 'retrying 1', { what: 'an attempt' });
  const path = pathTo(`/deliveries/${failing.eventId}/${failing.uid}`);
  await using opened = await openConsole(service, path);
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'Skip' }).click();
  const question = page.getByRole('dialog', { name: 'Skip the delivery?' });
  expect(await stateOf(failing)).toBe('retrying 1');
  await question.getByRole('button', { name: 'Skip', exact: true }).click();
  await page.getByText('Somebody skipped it, so that it is not sent.').waitFor();
  expect(await stateOf(failing)).toBe('cancelled 1');
  expect(await page.getByRole('button', { name: 'Skip' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the request is shown as it was sent: as a tree, as bytes, and as a command', async () => {
  const failing = await makeFailing('tenant-2', ['1d'], 'Shop 2');
  await correct(failing);
  await waitFor(async () => (await stateOf(failing)) === 'retrying 1', { what: 'an attempt' });
  const path = pathTo(`/deliveries/${failing.eventId}/${failing.uid}`);
  await using opened = await openConsole(service, path);
  const { page, complaints } = opened;
  const tree = page.getByRole('tree', { name: 'Body' });
  await tree.getByRole('treeitem', { name: 'note' }).getByText('⟨202E⟩txt.exe').waitFor();
  await tree.focus();
  await page.keyboard.press('ArrowLeft');
  await eventually(async () => expect(await tree.getByRole('treeitem').count()).toBe(1));
  await page.keyboard.press('Enter');
  await tree.getByRole('treeitem', { name: 'note' }).waitFor();
  await page.getByText('Raw', { exact: true }).click();
  const raw = page.getByLabel('Body', { exact: true });
  expect(await raw.innerText()).toContain('"eventId":');

  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click();
  const command = String(await page.evaluate('navigator.clipboard.readText()'));
  const before = receiver.requests.length;
  await promisify(execFile)('bash', ['-c', `${command} --silent --noproxy '*'`]);
  const [sent, repeated] = [receiver.requests[before - 1], receiver.requests[before]];
  expect(repeated?.body.equals(sent?.body ?? Buffer.alloc(0))).toBe(true);
  expect(repeated?.headers).toMatchObject({
    'webhook-id': failing.eventId,
    'x-webhook-attempt': '1',
    'x-webhook-signature': expect.stringContaining('SECRET') as unknown,
  });
  expect(complaints).toEqual([]);
});

test('the panel computes the signature that the receiver got, in the browser', async () => {
  const failing = await makeFailing('tenant-3', ['1d'], 'Shop 3');
  await waitFor(async () => (await stateOf(failing)) === 'retrying 1', { what: 'an attempt' });
  const sent = receiver.requests.find(({ headers }) => headers['webhook-id'] === failing.eventId);
  if (sent === undefined) throw new Error('nothing was sent');
  const signature = String(sent.headers['webhook-signature']);
  const at = new Date(Number(sent.headers['webhook-timestamp']) * 1_000);
  const library = new Webhook(failing.secret);
  expect(library.sign(failing.eventId, at, sent.body.toString('utf8'))).toBe(signature);

  const path = pathTo(`/deliveries/${failing.eventId}/${failing.uid}`);
  await using opened = await openConsole(service, path);
  const { page, complaints } = opened;
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url() + (request.postData() ?? '')));
  await page.getByLabel('Secret of the webhook').fill(failing.secret);
  await eventually(async () =>
    expect(await page.getByLabel('webhook-signature', { exact: true }).innerText()).toBe(signature),
  );
  const received = page.getByLabel('Signature that your receiver got');
  await received.fill(String(sent.headers['x-webhook-signature']));
  await page.getByText('The signature matches').waitFor();
  await received.fill(`v1,b3RoZXI= ${signature}`);
  await page.getByText('The signature matches').waitFor();
  await page.getByLabel('Secret of the webhook').fill('whsec_b3RoZXI=');
  await page.getByText('The signature does not match').waitFor();
  await page.getByLabel('Secret of the webhook').fill('other');
  await page.getByText('A secret starts with whsec_').waitFor();
  expect(requests.filter((text) => text.includes(failing.secret.slice(6, 20)))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('failed deliveries are selected and resent after confirmation; rejected ones stay selected', async () => {
  const failing = await makeFailing('tenant-4', [], 'Shop 4');
  const eventIds = [failing.eventId];
  for (let n = 0; n < 2; n += 1)
    eventIds.push(await reportChange(service, { externalTenantId: 'tenant-4' }));
  for (const eventId of eventIds)
    await waitFor(async () => (await stateOf({ ...failing, eventId })) === 'exhausted 1', {
      what: 'the end',
    });
  await correct(failing);
  await using opened = await openConsole(
    service,
    pathTo('/deliveries?externalTenantId=tenant-4&state=exhausted'),
  );
  const { page, complaints } = opened;
  const [erased = ''] = eventIds;
  await page.getByRole('checkbox', { name: 'Select failed (3)' }).check();
  expect(await page.getByRole('button', { name: 'Select all shown' }).count()).toBe(0);
  const erasedAt = new Date();
  await service.store.events.updateOne({ _id: erased }, { $set: { erasedAt, body: '' } });
  await page.getByRole('button', { name: 'Resend 3 failed deliveries' }).click();
  const question = page.getByRole('dialog', { name: 'Resend 3 failed deliveries?' });
  await question.getByText('All 3 failed.').waitFor();
  await question.getByRole('button', { name: 'Resend 3 failed deliveries' }).click();
  const summary = page.getByRole('status').filter({ hasText: '2 of 3 deliveries' });
  await summary.getByText("the event's payload was erased").waitFor();
  await page.getByRole('button', { name: 'Resend 1 failed delivery' }).waitFor();
  for (const eventId of eventIds.slice(1))
    await waitFor(async () => (await stateOf({ ...failing, eventId })) === 'delivered 2', {
      what: 'the delivery',
    });
  expect(complaints).toEqual([]);
});
