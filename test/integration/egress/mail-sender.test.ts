// Mail through a real SMTP server: its replies, its failures, its login and its certificate.
import { hostname } from 'node:os';
import { makeDevSecrets } from '../../../dev/start/dev-secrets.ts';
import { readConfig } from '../../../lib/config/config.ts';
import { firstPublicName } from '../../../lib/egress/host-name.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import { createMailSender, type MailSenderOptions } from '../../../lib/egress/mail-sender.ts';
import { parseMailServer } from '../../../lib/egress/mail-server.ts';
import { openSender } from '../../../worker/delivery-ports.ts';
import { startMailServer, type TestMailServer } from '../../support/mail-server.ts';
import { closedPort, makeKeyPair } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

let server: TestMailServer;

beforeAll(async () => {
  server = await startMailServer();
});

beforeEach(() => {
  server.reply = null;
});

afterAll(() => server?.[Symbol.asyncDispose]());

function senderTo(url: string, options: Partial<MailSenderOptions> = {}): Sender {
  const write = (body: string) => ({ subject: 'A subject', text: `About ${body}\n` });
  const from = 'herald@example.com';
  return createMailSender({ server: parseMailServer(url), from, write, ...options });
}

const request = {
  url: 'mailto:ops@example.com',
  webhookUid: 'whk_1',
  headers: { 'X-Webhook-Event-Id': 'evt_1', 'X-Webhook-Attempt': '3' },
  body: '{"name":"Ünïcode"}',
};

test('an accepted mail is a 2xx, has the login, both addresses and a Message-ID of event and webhook', async () => {
  await using sender = senderTo(server.url);
  const count = server.mails.length;
  const result = await sender.send(request);
  expect(result).toMatchObject({ kind: 'responded', status: 250, retryAfter: null, address: null });
  expect(server.mails.slice(count)).toMatchObject([
    {
      from: 'herald@example.com',
      to: ['ops@example.com'],
      user: 'herald',
      text: 'About {"name":"Ünïcode"}\n',
      headers: {
        from: '"agent-herald" <herald@example.com>',
        to: 'ops@example.com',
        subject: 'A subject',
        'message-id': '<evt_1.whk_1@example.com>',
        'auto-submitted': 'auto-generated',
        'x-webhook-event-id': 'evt_1',
        'x-webhook-attempt': '3',
      },
    },
  ]);
});

test.each([
  ['https://agents.example.com/base', 'agents.example.com'],
  // Not a public name: the sender's domain is.
  ['http://localhost:3000', 'mail.example.org'],
])('a machine without a public name greets, at %s, as %s', async (publicUrl, name) => {
  const settings = { HERALD_SMTP_URL: server.url, HERALD_MAIL_FROM: 'herald@mail.example.org' };
  const env = { ...settings, ...makeDevSecrets(), MONGODB_URI: 'mongodb://localhost' };
  await using sender = openSender(readConfig({ ...env, HERALD_PUBLIC_URL: publicUrl }));
  const body = JSON.stringify({ event: 'webhook.test', data: {} });
  expect(await sender.send({ ...request, body })).toMatchObject({ status: 250 });
  expect(server.mails.at(-1)?.greeting).toBe(firstPublicName([hostname()]) ?? name);
});

test.each([550, 421])('the reply %i becomes the status, with its text', async (code) => {
  server.reply = code;
  await using sender = senderTo(server.url);
  const result = await sender.send(request);
  expect(result).toMatchObject({ kind: 'responded', status: code });
  expect(result).toMatchObject({ responseSample: expect.stringContaining(`refused with ${code}`) });
});

test('a rejected login is a fault of the settings, not of the receiver, and nothing is sent', async () => {
  await using sender = senderTo(server.url.replace('hunter2', 'hunter3'));
  const { offered } = server;
  await expect(sender.send(request)).rejects.toMatchObject({ code: 'EAUTH', responseCode: 535 });
  expect(server.offered).toBe(offered);
});

test('while a mail to a webhook is in flight, its next mail waits, and mails to others do not', async () => {
  server.reply = 'hang';
  await using sender = senderTo(server.url, { timeoutMs: 1_000 });
  const { offered } = server;
  const inFlight = sender.send(request);
  await waitFor(() => server.offered === offered + 1);
  server.reply = 250;
  let isSent = false;
  const next = sender.send(request).finally(() => (isSent = true));
  const toOther = sender.send({ ...request, webhookUid: 'whk_other' });
  expect(await toOther).toMatchObject({ kind: 'responded', status: 250 });
  expect(isSent).toBe(false);
  expect(await inFlight).toMatchObject({ kind: 'failed', errorClass: 'timeout' });
  expect(await next).toMatchObject({ status: 250 });
});

test('a missing server is a connect failure', async () => {
  await using sender = senderTo(`smtp://127.0.0.1:${await closedPort()}`);
  expect(await sender.send(request)).toMatchObject({
    kind: 'failed',
    errorClass: 'connect',
    detail: 'the receiver refused the connection',
  });
});

test('a certificate must verify, from the first byte and after STARTTLS', async () => {
  const pair = makeKeyPair();
  await using direct = await startMailServer({ ...pair, secure: true });
  await using upgraded = await startMailServer(pair);
  for (const { url, mails } of [direct, upgraded]) {
    await using doubting = senderTo(url);
    expect(await doubting.send(request)).toMatchObject({ kind: 'failed', errorClass: 'tls' });
    expect(mails).toEqual([]);
    await using trusting = senderTo(url, { ca: pair.cert });
    expect(await trusting.send(request)).toMatchObject({ kind: 'responded', status: 250 });
    expect(mails).toHaveLength(1);
  }
});

test('without TLS no password goes to another machine', async () => {
  const { offered } = server;
  const needsTls = { ...parseMailServer(server.url), needsTls: true };
  await using sender = senderTo(server.url, { server: needsTls });
  expect(await sender.send(request)).not.toMatchObject({ status: 250 });
  expect(server.offered).toBe(offered);
});

test('a line break in a subject adds no header', async () => {
  const write = () => ({ subject: 'A\r\nBcc: eve@example.com', text: 'x' });
  await using sender = senderTo(server.url, { write });
  await sender.send(request);
  const mail = server.mails.at(-1);
  expect(mail?.to).toEqual(['ops@example.com']);
  expect(mail?.headers).not.toHaveProperty('bcc');
});

test('an application has three mails in flight, others the fourth, and a stop throttles waiting mails and cuts those', async () => {
  server.reply = 'hang';
  const { offered } = server;
  const stopping = new AbortController();
  await using sender = senderTo(server.url);
  const send = (appUid: string, n: number) =>
    sender
      .send({ ...request, appUid, webhookUid: `whk_${n}`, signal: stopping.signal })
      .catch((error: unknown) => error);
  const sends = [1, 2, 3, 4].map((n) => send('app_one', n));
  await waitFor(() => server.offered === offered + 3);
  sends.push(send('app_other', 5));
  await waitFor(() => server.offered === offered + 4);
  sender.endWaits();
  expect(await sends[3]).toMatchObject({ code: 'THROTTLED' });
  const cut = new Error('the process stops');
  stopping.abort(cut);
  const ended = await Promise.all([...sends.slice(0, 3), sends[4]]);
  expect(ended).toEqual([cut, cut, cut, cut]);
});
