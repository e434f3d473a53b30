// How an operator handles failing deliveries, in a browser.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTestAdmin } from '../support/admin-client.ts';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

const hostile = '<img src=x onerror="document.title=1">\u202Etxt.exe\u001B[31mred\u0007 ';
const hostileAnswer = `${hostile}${'x'.repeat(100)}`;

let service: ConsoleService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver((response, { path }) => {
    const headers = { server: 'gate/1', 'x-request-id': '<b>req-7</b>' };
    if (path === '/failing') response.writeHead(500, headers).end(hostileAnswer);
    else response.writeHead(204).end();
  });
  const env = { HERALD_TRACE_URL_TEMPLATE: 'https://jaeger.example.com/trace/{traceId}' };
  service = await startConsoleService({ env });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
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
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'retrying' }).click();
  await page.getByRole('combobox', { name: 'Tenant' }).fill('tenant-1');
  await expect.poll(() => page.url()).toContain('state=retrying&externalTenantId=tenant-1');
  await page.reload();
  await expect
    .poll(() => page.getByRole('combobox', { name: 'State' }).inputValue())
    .toBe('retrying');
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Tenant' }).inputValue())
    .toBe('tenant-1');

  await page.getByRole('link', { name: 'agent.updated' }).click();
  await page.getByRole('heading', { name: 'Delivery of agent.updated', level: 1 }).waitFor();
  const meaning =
    /responded with 500, twice in a row\. The next attempt is in [12] h( \d+ min)?; 1 more follows/;
  await page.getByText(meaning).waitFor();
  const answer = page.getByLabel('Response to attempt 2');
  await expect.poll(() => answer.innerText()).toContain('<img src=x onerror="document.title=1">');
  expect(await answer.innerText()).toContain('⟨202E⟩txt.exe');
  const headers = page.getByLabel('Response headers of attempt 2');
  expect(await headers.innerText()).toMatch(/server: gate\/1\s+x-request-id: <b>req-7<\/b>/);
  await page.getByText('Sent with X-Webhook-Attempt 2 and webhook-timestamp').waitFor();
  await page.getByRole('button', { name: 'Attempt 1 500' }).click();
  await page.getByLabel('Response to attempt 1').waitFor();

  await correct(failing);
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('The receiver responded with 204 on the first attempt.').waitFor();
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
  await expect.poll(() => tree.getByRole('treeitem').count()).toBe(1);
  await page.keyboard.press('Enter');
  await tree.getByRole('treeitem', { name: 'note' }).waitFor();
  await page.getByText('Raw', { exact: true }).click();
  const raw = page.getByLabel('Body', { exact: true });
  expect(await raw.innerText()).toContain('"eventId":');

  await page.getByRole('button', { name: 'Copy as curl' }).click();
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
  await expect
    .poll(() => page.getByLabel('webhook-signature', { exact: true }).innerText())
    .toBe(signature);
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

test('the panel checks a signature v1a with the public keys, without a secret', async () => {
  const register = async (name: string): Promise<string> => {
    const fields = { name, externalTenantIds: ['tenant-v1a'], signatures: ['v1a'] };
    return (await registerWebhook(service, { url: `${receiver.url}/working`, ...fields })).uid;
  };
  const [uid, otherUid] = [await register('Shop v1a'), await register('Other v1a')];
  const eventId = await reportChange(service, { externalTenantId: 'tenant-v1a' });
  for (const each of [uid, otherUid]) {
    const delivery = { uid: each, eventId, secret: '' };
    await waitFor(async () => (await stateOf(delivery)) === 'delivered 1', { what: 'an attempt' });
  }
  const sent = receiver.requests.find(({ headers }) => headers['x-webhook-uid'] === uid);
  const signature = String(sent?.headers['webhook-signature']);

  await using opened = await openConsole(service, pathTo(`/deliveries/${eventId}/${otherUid}`));
  const { page, complaints } = opened;
  const received = page.getByLabel('Signature that your receiver got');
  await received.fill(signature);
  await page.getByText('The signature v1a does not match').waitFor();
  await page.goto(`${service.consoleUrl}${pathTo(`/deliveries/${eventId}/${uid}`)}`);
  await received.fill(signature);
  await page.getByText('The signature v1a matches').waitFor();
  for (const wrong of [`v1a,${'A'.repeat(86)}==`, signature.slice(0, -1)]) {
    await received.fill(wrong);
    await page.getByText('The signature v1a does not match').waitFor();
  }
  await received.fill('v1,b3RoZXI=');
  await page.getByText('The signature v1a').waitFor({ state: 'detached' });
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

test('delivered deliveries are resent only by choice and after confirmation; held ones are named', async () => {
  const { uid } = await registerWebhook(service, {
    url: `${receiver.url}/working`,
    name: 'Shop 8',
    externalTenantIds: ['tenant-8'],
    retrySchedule: [],
  });
  const delivered: Failing[] = [];
  for (let n = 0; n < 2; n += 1) {
    const eventId = await reportChange(service, { externalTenantId: 'tenant-8' });
    delivered.push({ uid, secret: '', eventId });
  }
  const untilAll = (state: string) =>
    waitFor(
      async () => (await Promise.all(delivered.map(stateOf))).every((each) => each === state),
      { what: state },
    );
  await untilAll('delivered 1');
  const change = { body: { url: `${receiver.url}/failing` } };
  expect((await service.call('PATCH', `/webhooks/${uid}`, change)).status).toBe(200);
  const eventId = await reportChange(service, { externalTenantId: 'tenant-8' });
  await waitFor(async () => (await stateOf({ uid, secret: '', eventId })) === 'exhausted 1', {
    what: 'the end',
  });
  const pause = { body: { active: false, url: `${receiver.url}/working` } };
  expect((await service.call('PATCH', `/webhooks/${uid}`, pause)).status).toBe(200);
  await using opened = await openConsole(service, pathTo('/deliveries?externalTenantId=tenant-8'));
  const { page, complaints } = opened;
  await page.getByRole('checkbox', { name: 'Select failed (1)' }).check();
  await page.getByRole('button', { name: 'Resend 1 failed delivery' }).waitFor();
  await page.getByRole('button', { name: 'Select all shown (3)' }).click();
  await page.getByRole('button', { name: 'Resend 3 deliveries' }).click();
  const all = page.getByRole('dialog', { name: 'Resend 3 deliveries?' });
  await all.getByText('1 of these failed.').waitFor();
  const effect = '2 of these were already delivered. Receivers will get them again.';
  await all.getByText(effect).waitFor();
  await all.getByRole('button', { name: 'Cancel' }).click();
  await untilAll('delivered 1');

  await page.getByRole('row').filter({ hasText: eventId }).getByRole('checkbox').uncheck();
  await page.getByRole('button', { name: 'Resend 2 deliveries' }).click();
  const some = page.getByRole('dialog', { name: 'Resend 2 deliveries?' });
  await some.getByText('All 2 were already delivered.').waitFor();
  await some.getByRole('button', { name: 'Resend 2 deliveries' }).click();
  const held = page.getByRole('status').filter({ hasText: '0 of 2 deliveries' });
  await held.getByText('2 are held until this paused webhook is resumed:').waitFor();
  await held.getByRole('link', { name: 'Shop 8' }).waitFor();
  const resume = { body: { active: true } };
  expect((await service.call('PATCH', `/webhooks/${uid}`, resume)).status).toBe(200);
  await untilAll('delivered 2');

  await page.goto(service.consoleUrl + pathTo(`/deliveries/${delivered[0]?.eventId}/${uid}`));
  await page.getByRole('button', { name: 'Resend', exact: true }).click();
  const one = page.getByRole('dialog', { name: 'Resend the delivery?' });
  await one.getByText('It was already delivered. The receiver will get it again.').waitFor();
  await untilAll('delivered 2');
  await one.getByRole('button', { name: 'Resend', exact: true }).click();
  await page.getByRole('button', { name: 'Attempt 3 204', expanded: true }).waitFor();
  expect((await service.call('DELETE', `/webhooks/${uid}`)).status).toBeLessThan(300);
  await page.reload();
  await page.getByRole('button', { name: `Copy ${uid}` }).waitFor();
  expect(await page.getByRole('button', { name: 'Resend', exact: true }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a viewer sees why a delivery failed, and no button that would be refused', async () => {
  const failing = await makeFailing('tenant-5', [], 'Shop 5');
  await waitFor(async () => (await stateOf(failing)) === 'exhausted 1', { what: 'the end' });
  const viewer = await makeTestAdmin(service);
  const body = { email: viewer.email, role: 'viewer' };
  const member = await service.superuser.call('POST', pathTo('/members'), { body });
  expect(member.status).toBeLessThan(300);
  const path = pathTo(`/deliveries/${failing.eventId}/${failing.uid}`);
  await using opened = await openConsole(service, path, { admin: viewer });
  const { page, complaints } = opened;
  await page.getByText('The receiver responded with 500. No attempts are left.').waitFor();
  await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
  expect(await page.getByRole('button', { name: 'Resend' }).count()).toBe(0);
  await page.goto(service.consoleUrl + pathTo('/deliveries?externalTenantId=tenant-5'));
  await page.getByRole('link', { name: 'agent.updated' }).waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a traced attempt links to its trace in the operators’ own tool', async () => {
  const failing = await makeFailing('tenant-6', [], 'Shop 6');
  await waitFor(async () => (await stateOf(failing)) === 'exhausted 1', { what: 'the end' });
  const path = pathTo(`/deliveries/${failing.eventId}/${failing.uid}`);
  await using opened = await openConsole(service, path);
  const { page, complaints } = opened;
  await page.getByText('The receiver responded with 500. No attempts are left.').waitFor();
  expect(await page.getByText('Trace').count()).toBe(0);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const { eventId } = failing;
  await service.store.deliveries.updateOne(
    { eventId, webhookUid: failing.uid },
    { $set: { 'attempts.0.traceId': traceId } },
  );
  await page.reload();
  const link = page.getByRole('link', { name: traceId });
  expect(await link.getAttribute('href')).toBe(`https://jaeger.example.com/trace/${traceId}`);
  expect(await link.getAttribute('rel')).toBe('noreferrer');
  expect(complaints).toEqual([]);
});
