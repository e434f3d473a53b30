// From "something is wrong" to its cause, the repair and what was lost: at most six clicks each.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';
import {
  makeKeyPair,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
  startTlsReceiver,
} from '../support/receivers.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

type Sick = 'refuses' | 'hangs' | null;

const clicksMax = 6;
let service: ConsoleService;
let receiver: Receiver;
let sick: Sick = null;

beforeAll(async () => {
  receiver = await startReceiver((response) => {
    if (sick === 'hangs') return;
    response.writeHead(sick === 'refuses' ? 401 : 204).end();
  });
  service = await startConsoleService();
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

const pathTo = (rest: string): string => `/apps/${service.app.appUid}${rest}`;

/** Counts the clicks of a way through the pages. */
class Way {
  clicks = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async click(role: 'button' | 'link' | 'tab', name: string | RegExp): Promise<void> {
    this.clicks += 1;
    await this.#page.getByRole(role, { name }).first().click();
  }
}

async function lose(webhookUid: string, externalTenantId: string): Promise<string> {
  const eventId = await reportChange(service, { externalTenantId });
  const isLost = async () =>
    (await service.store.deliveries.findOne({ eventId, webhookUid }))?.state === 'exhausted';
  await waitFor(isLost, { what: 'the loss' });
  return eventId;
}

async function openOverview() {
  return openConsole(service, pathTo(''));
}

/** Tests the mended receiver, recovers what was lost, and returns the clicks. */
async function repairFrom(page: Page, name: string): Promise<number> {
  const way = new Way(page);
  await way.click('button', `Test: ${name}`);
  await way.click('button', 'Send');
  await page.getByText('The receiver works again.').waitFor();
  await way.click('button', 'Recover lost deliveries');
  await way.click('button', 'Count deliveries');
  await page.getByText('1 delivery was lost.').waitFor();
  await way.click('button', 'Recover deliveries');
  await page.getByText('A replay is sending them').waitFor();
  return way.clicks;
}

function requestsFor(eventId: string, from = receiver): ReceivedRequest[] {
  return from.requests.filter(({ body }) => body.toString().includes(eventId));
}

test('a wrong secret: the rotation is named beside the refusals', async () => {
  const name = 'Signs anew';
  const tenants = { externalTenantIds: ['secret'], retrySchedule: [] };
  const { uid } = await registerWebhook(service, {
    url: `${receiver.url}/secret`,
    name,
    ...tenants,
  });
  await service.call('POST', `/webhooks/${uid}/secret/rotate`, { body: { overlapSeconds: 0 } });
  sick = 'refuses';
  const eventId = await lose(uid, 'secret');
  await using opened = await openOverview();
  const { page, complaints } = opened;
  const cause = page.getByRole('group', { name: 'The receiver responded with 401' });
  await cause.getByText(/Likely reason: the secret was rotated at /).waitFor();
  sick = null;
  expect(await repairFrom(page, name)).toBeLessThanOrEqual(clicksMax);
  await waitFor(() => requestsFor(eventId).length === 2, { what: 'the recovered delivery' });
  await service.call('DELETE', `/webhooks/${uid}`);
  expect(complaints).toEqual([]);
});

test('the whole way can be gone by the keyboard alone, and the focus returns to where it began', async () => {
  const name = 'By keyboard';
  const fields = { externalTenantIds: ['keyboard'], retrySchedule: [] };
  const { uid } = await registerWebhook(service, { url: `${receiver.url}/keys`, name, ...fields });
  sick = 'refuses';
  const eventId = await lose(uid, 'keyboard');
  await using opened = await openOverview();
  const { page } = opened;
  const press = async (button: string): Promise<void> => {
    await page.getByRole('button', { name: button }).first().focus();
    await page.keyboard.press('Enter');
  };
  await press(`Recover: ${name}`);
  await page.getByRole('dialog', { name: 'Recover lost deliveries' }).waitFor();
  await page.keyboard.press('Escape');
  const opener = page.getByRole('button', { name: `Recover: ${name}` });
  await expect.poll(() => opener.evaluate((button) => button.matches(':focus'))).toBe(true);
  sick = null;
  await press(`Test: ${name}`);
  await press('Send');
  await press('Recover lost deliveries');
  await press('Count deliveries');
  await page.getByText('1 delivery was lost.').waitFor();
  await press('Recover deliveries');
  await waitFor(() => requestsFor(eventId).length === 2, { what: 'the recovered delivery' });
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('a receiver that is down: webhooks of one host are one cause', async () => {
  const down = await startReceiver((response) => response.writeHead(204).end());
  const { port } = new URL(down.url);
  const fields = { retrySchedule: [], externalTenantIds: ['down'] };
  const url = `http://127.0.0.1:${port}`;
  const one = await registerWebhook(service, { url: `${url}/1`, name: 'First', ...fields });
  const two = await registerWebhook(service, { url: `${url}/2`, name: 'Second', ...fields });
  await down[Symbol.asyncDispose]();
  const eventId = await lose(one.uid, 'down');
  await waitFor(
    async () =>
      (await service.store.deliveries.findOne({ eventId, webhookUid: two.uid }))?.state ===
      'exhausted',
  );
  await using opened = await openOverview();
  const { page } = opened;
  const cause = page.getByRole('group', {
    name: `The receiver could not be reached: 127.0.0.1:${port}`,
  });
  await cause.getByText('2 webhooks').waitFor();
  // The receiver is up again, at another port.
  for (const { uid } of [one, two]) {
    await service.call('PATCH', `/webhooks/${uid}`, { body: { url: `${receiver.url}/up` } });
  }
  expect(await repairFrom(page, 'First')).toBeLessThanOrEqual(clicksMax);
  await waitFor(() => requestsFor(eventId).length === 1, { what: 'the recovered delivery' });
  for (const { uid } of [one, two]) await service.call('DELETE', `/webhooks/${uid}`);
});

test('a receiver that takes too long', async () => {
  const name = 'Slow';
  const fields = { retrySchedule: [], externalTenantIds: ['slow'] };
  const { uid } = await registerWebhook(service, { url: `${receiver.url}/slow`, name, ...fields });
  sick = 'hangs';
  const eventId = await lose(uid, 'slow');
  await using opened = await openOverview();
  const { page } = opened;
  await page.getByRole('group', { name: 'The receiver did not respond in time' }).waitFor();
  sick = null;
  expect(await repairFrom(page, name)).toBeLessThanOrEqual(clicksMax);
  await waitFor(() => requestsFor(eventId).length === 2, { what: 'the recovered delivery' });
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('a certificate that is not accepted', async () => {
  const untrusted = await startTlsReceiver(makeKeyPair(), (response) =>
    response.writeHead(204).end(),
  );
  const name = 'Untrusted';
  const fields = { retrySchedule: [], externalTenantIds: ['tls'] };
  const { uid } = await registerWebhook(service, { url: `${untrusted.url}/tls`, name, ...fields });
  const eventId = await lose(uid, 'tls');
  await using opened = await openOverview();
  const { page } = opened;
  const title = `The TLS connection to the receiver failed: ${new URL(untrusted.url).host}`;
  await page
    .getByRole('group', { name: title })
    .getByText(/expired or self-signed/)
    .waitFor();
  await service.call('PATCH', `/webhooks/${uid}`, { body: { url: `${receiver.url}/tls` } });
  expect(await repairFrom(page, name)).toBeLessThanOrEqual(clicksMax);
  await waitFor(() => requestsFor(eventId).length === 1, { what: 'the recovered delivery' });
  await service.call('DELETE', `/webhooks/${uid}`);
  await untrusted[Symbol.asyncDispose]();
});

test('a filter that matches nothing: the event names the condition, and missed events are sent', async () => {
  const name = 'Filtered';
  const filter = { 'owner.team': 'coer' };
  const fields = { filter, externalTenantIds: ['filter'] };
  const url = `${receiver.url}/filtered`;
  const { uid } = await registerWebhook(service, { url, name, ...fields });
  const eventId = await reportChange(service, {
    externalTenantId: 'filter',
    owner: { team: 'core' },
  });
  await using opened = await openConsole(service, pathTo(`/events/${eventId}`));
  const { page } = opened;
  const way = new Way(page);
  await page.getByText('owner.team is "coer"').waitFor();
  await way.click('link', name);
  const field = page.getByRole('textbox', { name: 'Filter' });
  await field.fill('{"owner.team": "core"}');
  await way.click('button', 'Save');
  await page.getByText('Saved.').first().waitFor();
  await way.click('link', 'Replay missed events');
  await way.click('button', 'Count deliveries');
  await page.getByText('By state: 1 never attempted.').waitFor();
  await way.click('button', 'Start replay');
  expect(way.clicks).toBeLessThanOrEqual(clicksMax);
  await waitFor(() => requestsFor(eventId).length === 1, { what: 'the missed event' });
  await service.call('DELETE', `/webhooks/${uid}`);
});
