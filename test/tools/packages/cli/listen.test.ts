// `agent-herald listen`: what reaches a receiver on this machine, and on which way.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Verifier } from '../../../../packages/receiver-ts/src/index.ts';
import { buildCommandLine, type CommandLine } from '../../../support/command-line.ts';
import { type Receiver, startReceiver } from '../../../support/receivers.ts';
import { startService, type TestService } from '../../../support/service.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { registerWebhook } from '../../../support/webhook-calls.ts';

let service: TestService;
let cli: CommandLine;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

beforeAll(async () => {
  service = await startService();
  cli = await buildCommandLine({
    HERALD_URL: service.apiUrl,
    HERALD_APP_UID: service.app.appUid,
    HERALD_API_KEY: service.app.apiKey,
  });
});
afterAll(async () => {
  await cli?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

/** Reports a change of an agent as it is written, with `text` among its fields. */
async function report(text: string): Promise<void> {
  const { appUid, apiKey } = service.app;
  const response = await fetch(`${service.apiUrl}/api/v1/appuid/${appUid}/changes`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: `{"event":"agent.updated","data":{"externalTenantId":"t",${text},"uid":"agt_1"}}`,
  });
  expect([response.status, await response.text()]).toEqual([202, expect.any(String)]);
}

const bodiesOf = ({ requests }: Receiver) => requests.map(({ body }) => body.toString()).toSorted();

test('listen forwards the bytes of a delivery, with signatures over them', async () => {
  await using hook = await startReceiver((response) => void response.end());
  await using local = await startReceiver((response) => void response.end());
  await registerWebhook(service, { url: hook.url });
  const listen = ['listen', '--forward-to', `${local.url}/hook`, '--secret', secret];
  await using listening = await cli.start([...listen, '--print-json'], 'connected');
  const fields = [
    '"numbers":[1.10,-0,1e3,0.10000000000000001]',
    '"b":1,"a":2,"10":3,"9":4',
    '"text":"\\u00e9 \\/ \u2028 é"',
    '"spaces" : [ 1 ,\t2 ]',
    '"lines":\r\n[\n1,\r2\n]',
    '"quoted":"\\",\\"payload\\":{}"',
  ];
  for (const field of fields) await report(field);
  await waitFor(() => hook.requests.length === fields.length, { what: 'the deliveries' });
  await waitFor(() => local.requests.length === fields.length, { what: 'the forwarded events' });
  expect(bodiesOf(local)).toEqual(bodiesOf(hook));
  const verifier = new Verifier({ secrets: secret });
  for (const { headers, body } of local.requests) await verifier.verify({ headers, body });
  await waitFor(() => listening.stdout.length === fields.length, { what: 'a line for each' });
  expect(listening.stdout[0]).toContain('"numbers":[1.10,-0,1e3,0.10000000000000001]');
});
