// Webhooks of the kind operations: their allowed fields, and that they get only service events.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../support/api-client.ts';
import { startMailServer, type TestMailServer } from '../../support/mail-server.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';
import { expectProblem, faultsOf } from './problems.ts';

let service: TestService;
let mailServer: TestMailServer;
let receiver: Receiver;

beforeAll(async () => {
  mailServer = await startMailServer();
  // The response to `/gone` is 410.
  receiver = await startReceiver((response, { path }) =>
    response.writeHead(path === '/gone' ? 410 : 200).end(),
  );
  const env = { HERALD_SMTP_URL: mailServer.url, HERALD_MAIL_FROM: 'herald@example.com' };
  service = await startService({ env });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await mailServer?.[Symbol.asyncDispose]();
});

async function register(fields: Record<string, unknown>): Promise<Answer> {
  const body = { kind: 'operations', url: `${receiver.url}/told`, ...fields };
  return service.call('POST', '/webhooks', { body });
}

const change = (uid: unknown, body: object): Promise<Answer> =>
  service.call('PATCH', `/webhooks/${String(uid)}`, { body });

function eventsAt(path: string): string[] {
  const found = receiver.requests.filter((request) => request.path === path);
  return found.map(({ body }) => (JSON.parse(body.toString()) as { event: string }).event);
}

const mailUrl = 'mailto:Ops@Example.com';

test('a failing webhook is reported by HTTPS and by mail, but not its changes, and not to itself', async () => {
  const [told, mailed] = [await register({}), await register({ url: mailUrl })];
  expect(told.body).toMatchObject({ kind: 'operations', entities: [], events: null });
  expect(mailed.body).toMatchObject({ url: 'mailto:Ops@example.com' });
  const gone = await registerWebhook(service, { url: `${receiver.url}/gone` });
  const eventId = await reportChange(service);
  await waitFor(() => eventsAt('/told').length === 2 && mailServer.mails.length === 2);
  const names = ['delivery.exhausted', 'webhook.deactivated'];
  expect(eventsAt('/told').toSorted()).toEqual(names);
  expect(eventsAt('/gone')).toEqual(['agent.updated']);
  const subjects = mailServer.mails.map(({ headers }) => String(headers['subject']));
  expect(subjects.toSorted()).toEqual(names.map((name) => `[agent-herald] ${name} ${gone.uid}`));
  const path = `/webhooks/${String(mailed.body['uid'])}/deliveries`;
  await waitFor(async () => {
    const { body } = await service.call('GET', path);
    const states = (body['data'] as unknown as { state: string }[]).map(({ state }) => state);
    return states.length === 2 && states.every((state) => state === 'delivered');
  });
  const webhookUids = [String(told.body['uid'])];
  const resend = await service.call('POST', `/events/${eventId}/resend`, { body: { webhookUids } });
  expectProblem(resend, 422, 'unknown_webhook_uids');
});

test('only for the kind operations, the check of a URL accepts an email address', async () => {
  const check = async (kind: string) =>
    (await service.call('POST', '/webhooks/check-url', { body: { url: mailUrl, kind } })).body;
  expect(await check('operations')).toEqual({ url: 'mailto:Ops@example.com', problems: [] });
  expect(await check('resources')).toMatchObject({
    url: null,
    problems: [{ code: 'invalid_webhook_url' }],
  });
});

test('a test can be sent to an email address', async () => {
  const { body } = await register({ url: 'mailto:test@example.com', events: ['apikey.expiring'] });
  const tested = await service.call('POST', `/webhooks/${String(body['uid'])}/test`, { body: {} });
  expect(tested.status).toBe(202);
  const mail = await waitFor(() => mailServer.mails.find(({ to }) => to[0]?.startsWith('test')));
  expect(mail.headers['subject']).toBe(`[agent-herald] webhook.test ${String(body['uid'])}`);
  expect(mail.text).toContain('the requested test');
});

test.each([
  [{ entities: ['agent'] }, '#/entities'],
  [{ externalTenantIds: ['tenant-1'] }, '#/externalTenantIds'],
  [{ ordering: 'resource' }, '#/ordering'],
  [{ events: ['webhook.failing', 'agent.created'] }, '#/events/1'],
])('the kind operations rejects %j, on registration and in a change', async (fields, pointer) => {
  const refused = await register(fields);
  expectProblem(refused, 400, 'invalid_request');
  expect(faultsOf(refused)).toEqual([`${pointer} not_of_kind`]);
  const { body } = await register({});
  expect(faultsOf(await change(body['uid'], fields))).toEqual([`${pointer} not_of_kind`]);
});

test('the kind resources rejects service events and email addresses, and the kind cannot be changed', async () => {
  const { uid } = await registerWebhook(service, { url: receiver.url, active: false });
  const events = await change(uid, { events: ['webhook.failing'] });
  expect(faultsOf(events)).toEqual(['#/events/0 not_of_kind']);
  expectProblem(await change(uid, { url: mailUrl }), 422, 'invalid_webhook_url');
  expect(faultsOf(await change(uid, { kind: 'operations' }))).toEqual([
    '#/kind additionalProperties',
  ]);
  const { body } = await register({});
  const moved = await change(body['uid'], { url: mailUrl });
  expect(moved.body['url']).toBe('mailto:Ops@example.com');
});

test('the audit log has only the domain of an email address', async () => {
  const { body } = await register({ url: mailUrl });
  const row = await service.store.auditLog.findOne({ 'target.uid': String(body['uid']) });
  expect(row?.details).toEqual({ kind: 'operations', urlOrigin: 'mailto:@Example.com' });
});
