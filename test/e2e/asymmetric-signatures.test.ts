// Webhooks with `v1a`: receivers need only the public keys of the application.
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Verifier } from '../../packages/receiver-ts/src/index.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { expectProblem } from '../integration/api/problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const keySetUrl = () =>
  `${service.apiUrl}/api/v1/appuid/${service.app.appUid}/.well-known/webhook-keys.json`;

const answerOk = (response: ServerResponse): void => void response.writeHead(204).end();

const versionsOf = (receiver: Receiver): string[][] =>
  receiver.requests.map(({ headers }) =>
    String(headers['webhook-signature'])
      .split(' ')
      .map((entry) => entry.split(',')[0] ?? ''),
  );

test.each([
  [undefined, ['v1']],
  [['v1'], ['v1']],
  [
    ['v1', 'v1a'],
    ['v1', 'v1a'],
  ],
  [['v1a'], ['v1a']],
])('a webhook with the signatures %j sends %j and X-Webhook-Signature', async (wanted, sent) => {
  await using receiver = await startReceiver(answerOk);
  const fields = wanted === undefined ? {} : { signatures: wanted };
  const { uid, secret } = await registerWebhook(service, { url: receiver.url, ...fields });
  await reportChange(service, {});
  await waitFor(async () => receiver.requests.length > 0);
  expect(versionsOf(receiver)[0]).toEqual(sent);
  const [request] = receiver.requests;
  if (request === undefined) throw new Error('nothing arrived');
  await new Verifier({ secrets: secret, scheme: 'body-only' }).verify(request);
  if (sent.includes('v1')) await new Verifier({ secrets: secret }).verify(request);
  expect(request.headers['x-webhook-uid']).toBe(uid);
  const verifier = new Verifier({ keySetUrl: keySetUrl(), webhookUid: uid });
  if (sent.includes('v1a')) await verifier.verify(request);
  else await expect(verifier.verify(request)).rejects.toMatchObject({ code: 'signature_mismatch' });
  const shown = await service.call('GET', `/webhooks/${uid}`);
  expect(shown.body['signatures']).toEqual(wanted ?? ['v1']);
  await service.call('DELETE', `/webhooks/${uid}`);
});

test('a request for one webhook is refused by the receiver of another of the application', async () => {
  await using receiver = await startReceiver(answerOk);
  const fields = { url: receiver.url, signatures: ['v1a'] };
  const { uid } = await registerWebhook(service, fields);
  const { uid: otherUid } = await registerWebhook(service, fields);
  await reportChange(service, {});
  await waitFor(async () => receiver.requests.length === 2);
  for (const { headers, body } of receiver.requests) {
    const [own, other] = headers['x-webhook-uid'] === uid ? [uid, otherUid] : [otherUid, uid];
    const verifierOf = (webhookUid: string) => new Verifier({ keySetUrl: keySetUrl(), webhookUid });
    const { sequence } = await verifierOf(own).verify({ headers, body });
    expect(String(sequence)).toBe(headers['x-webhook-sequence']);
    const forged = { ...headers, 'x-webhook-uid': other, 'x-webhook-sequence': '999999999' };
    await expect(verifierOf(other).verify({ headers: forged, body })).rejects.toMatchObject({
      code: 'signature_mismatch',
    });
  }
  for (const each of [uid, otherUid]) await service.call('DELETE', `/webhooks/${each}`);
});

test('the signatures can be changed, and an old webhook without the field has v1', async () => {
  await using receiver = await startReceiver(answerOk);
  const { uid } = await registerWebhook(service, { url: receiver.url });
  await service.store.webhooks.updateOne({ _id: uid }, { $unset: { signatures: 1 } });
  const old = await service.call('GET', `/webhooks/${uid}`);
  expect(old.body['signatures']).toEqual(['v1']);
  const body = { signatures: ['v1a'] };
  expect((await service.call('PATCH', `/webhooks/${uid}`, { body })).body['signatures']).toEqual([
    'v1a',
  ]);
  await reportChange(service, {});
  await waitFor(async () => receiver.requests.length > 0);
  expect(versionsOf(receiver)[0]).toEqual(['v1a']);
  await service.call('DELETE', `/webhooks/${uid}`);
});

test.each([[[]], [['v2']], [['v1', 'v1']], ['v1'], [null], [['v1', 'v1a', 'v1']]])(
  'the signatures %j are refused',
  async (signatures) => {
    const body = { url: 'http://127.0.0.1:9/', entities: ['agent'], signatures };
    expectProblem(await service.call('POST', '/webhooks', { body }), 400, 'invalid_request');
  },
);
