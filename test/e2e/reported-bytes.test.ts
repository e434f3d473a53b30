// The data of a reported change reach receivers byte for byte as they were written.
import { createHmac } from 'node:crypto';
import { openStream } from '../support/event-stream.ts';
import { startReceiver } from '../support/receivers.ts';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook } from '../support/webhook-calls.ts';

let secret: string;

const service = useService();
const receiver = useReceiver((response) => response.writeHead(200).end());

beforeAll(async () => {
  const url = `${receiver.url}/hook`;
  ({ secret } = await registerWebhook(service, { url, entities: ['agent'] }));
});

const rest = '"uid":"u","externalTenantId":"t"';

interface Report {
  dataText: string;
  /** The text around the data, for which `#` stands. */
  frame?: string;
  headers?: Record<string, string>;
}

async function report({ dataText, frame, headers }: Report): Promise<string> {
  const body = (frame ?? '{"event":"agent.updated","data":#}').replace('#', () => dataText);
  const given = { 'x-api-key': service.app.apiKey, 'content-type': 'application/json' };
  const answer = await service.call('POST', '/changes', {
    body,
    headers: { ...given, ...headers },
  });
  expect(answer.status).toBe(202);
  return String(answer.body['eventId']);
}

async function receivedOf(eventId: string): Promise<{ body: string; signature: string }> {
  const request = await waitFor(
    () => receiver.requests.find(({ headers }) => headers['x-webhook-event-id'] === eventId),
    { what: eventId },
  );
  const signature = String(request.headers['x-webhook-signature']);
  return { body: request.body.toString('utf8'), signature };
}

const spellings: [string, string][] = [
  ['keys that are whole numbers, in their order', `{"10":1,"9":{"2":0,"1":0},${rest}}`],
  ['negative zeros', `{"a":-0,"b":-0.0,${rest}}`],
  [
    'zeros at the end, exponents and many digits',
    `{"n":[1.0,1.50,1E2,2e-1,0.1000000000000000055],${rest}}`,
  ],
  ['escapes of plain characters', String.raw`{"t":"\u0041\/\u00e9\ud83d\ude00",${rest}}`],
  ['escapes in keys', String.raw`{"\u0075id":"u","externalTenantId":"t"}`],
  ['white space', `{\n\t"a" : [ 1 ,\r\n 2 ] ,${rest}\n}`],
  [
    'characters outside of ASCII, in either normal form',
    `{"t":"zo\u00eb zoe\u0308 \u2028",${rest}}`,
  ],
  ['brackets and quotes in texts', String.raw`{"t":"}]\"{\\",${rest}}`],
];

test.each(spellings)('%s arrive as they were written', async (_what, dataText) => {
  const eventId = await report({ dataText });
  const { body, signature } = await receivedOf(eventId);
  const payload = JSON.parse(body) as { sequence: number };
  expect(payload).toMatchObject({ eventId, data: JSON.parse(dataText) as object });
  const end = `,"version":1,"data":${dataText},"sequence":${payload.sequence}}`;
  expect(body.endsWith(end)).toBe(true);
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  expect(signature).toBe(`sha256=${digest}`);
  const shown = await service.call('GET', `/events/${eventId}`);
  expect(shown.text.endsWith(`,"payload":${body}}`)).toBe(true);
});

test('the same holds with an Idempotency-Key, and a repeat in another spelling is a repeat', async () => {
  const headers = { 'idempotency-key': 'bytes' };
  const dataText = `{"10":1.0,"9":-0.0,${rest}}`;
  const eventId = await report({ dataText, headers });
  expect((await receivedOf(eventId)).body).toContain(`"data":${dataText}`);
  expect(await report({ dataText: `{ "9": 0, "10": 1, ${rest}}`, headers })).toBe(eventId);
});

test('data are found wherever they are in the body', async () => {
  const dataText = `{"data":{"event":"x"},"2":0,"1":0,${rest}}`;
  for (const frame of [
    '{"data":#,"event":"agent.updated"}',
    String.raw`{ "\u0064ata" : # , "event" : "agent.updated" }`,
  ]) {
    const eventId = await report({ dataText, frame });
    expect((await receivedOf(eventId)).body).toContain(`"data":${dataText},"sequence":`);
  }
});

test('line breaks between the tokens do not end the message of a stream', async () => {
  using reader = await openStream({ apiUrl: service.apiUrl, app: service.app });
  await waitFor(() => reader.messages.length > 0, { what: 'the opening' });
  const eventId = await report({ dataText: `{\n"a":\r\n\r\n[1,\r2],${rest}\n}` });
  const event = await waitFor(() => reader.messages.find(({ type }) => type === 'message'), {
    what: 'the event',
  });
  expect(event.data).toMatchObject({ eventId, payload: { data: { a: [1, 2], uid: 'u' } } });
});

test('a filter sees the values, whatever their spelling', async () => {
  await using own = await startReceiver((response) => response.writeHead(200).end());
  const filter = { count: 100, name: 'é' };
  const url = `${own.url}/hook`;
  await registerWebhook(service, { url, entities: ['context'], filter });
  const frame = '{"event":"context.updated","data":#}';
  await report({ frame, dataText: `{"count":101,"name":"é",${rest}}` });
  const dataText = String.raw`{"count":1.0e2,"name":"\u00e9",${rest}}`;
  await report({ frame, dataText });
  await waitFor(() => own.requests.length > 0, { what: 'the event that matches' });
  expect(own.requests).toHaveLength(1);
  expect(own.requests[0]?.body.toString()).toContain(`"data":${dataText},"sequence":`);
});
