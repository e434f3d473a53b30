// Temporal behind TLS, like Temporal Cloud: by client certificate, by API key, and without operator calls.
import { prepareServers } from '../../../cli/setup/prepare-servers.ts';
import { readConfig } from '../../../lib/config/config.ts';
import { connectTemporal } from '../../../worker/connect-temporal.ts';
import { startReceiver } from '../../support/receivers.ts';
import { testServers } from '../../support/servers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { startTemporalGateway, type TemporalGateway } from '../../support/temporal-gateway.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook } from '../../support/webhook-calls.ts';

/** The settings that reach a gateway, without credentials. */
const serverSettings = (gateway: TemporalGateway): Record<string, string> => ({
  TEMPORAL_ADDRESS: gateway.address,
  TEMPORAL_TLS_SERVER_NAME: gateway.serverName,
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: gateway.authority,
});

function certificateSettings(gateway: TemporalGateway): Record<string, string> {
  const { certificate, key } = gateway.issueClient('herald');
  return {
    ...serverSettings(gateway),
    TEMPORAL_TLS_CLIENT_CERT_DATA: certificate,
    TEMPORAL_TLS_CLIENT_KEY_DATA: key,
  };
}

const keySettings = (gateway: TemporalGateway): Record<string, string> => ({
  ...serverSettings(gateway),
  TEMPORAL_API_KEY: 'key-of-the-cloud',
  TEMPORAL_GRPC_META_X_TEAM: 'webhooks',
});

async function deliverOne(service: TestService): Promise<void> {
  await using receiver = await startReceiver((response) => response.writeHead(200).end());
  await registerWebhook(service, { url: `${receiver.url}/hook`, entities: ['agent'] });
  await service.call('POST', '/agents', {
    body: { agentName: 'Support', externalTenantId: 'tenant-1', live: true },
  });
  await waitFor(() => receiver.requests[0]);
  const { client } = service.temporal;
  await waitFor(
    async () => (await client.workflow.count(`DeliveryState = 'delivered'`)).count === 1,
  );
}

describe.each([
  ['a client certificate', certificateSettings, { asksForCertificate: true }],
  ['an API key', keySettings, { asksForCertificate: false }],
])('by %s', (_by, settingsOf, options) => {
  let gateway: TemporalGateway;
  let service: TestService;
  beforeAll(async () => {
    gateway = await startTemporalGateway({ ...options, refusesOperators: true });
    service = await startService({ env: settingsOf(gateway) });
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
  });

  test('the service starts, is ready and delivers, and authenticates each call', async () => {
    expect(await service.raw('GET', '/readyz')).toMatchObject({ status: 200 });
    await deliverOne(service);
    expect(gateway.calls.some(({ path }) => path.endsWith('/PollWorkflowTaskQueue'))).toBe(true);
    const shown = new Set(
      gateway.calls.map(({ client, authorization }) => client ?? authorization),
    );
    expect([...shown]).toEqual([options.asksForCertificate ? 'herald' : 'Bearer key-of-the-cloud']);
  });

  test('the setup succeeds if all search attributes exist', async () => {
    const before = gateway.calls.length;
    await prepareServers(service.config);
    const paths = gateway.calls.slice(before).map(({ path }) => path.split('/').at(-1));
    expect(paths).toContain('ListSearchAttributes');
    expect(paths).toContain('CountWorkflowExecutions');
    expect(paths).not.toContain('AddSearchAttributes');
  });

  test('a search attribute that may not be added is named, with what to do', async () => {
    const { namespace } = service.config.temporal;
    await using past = await connectTemporal({
      namespace,
      address: testServers().temporalAddress,
      connectionOptions: {},
    });
    const searchAttributes = ['EventIds'];
    await past.connection.operatorService.removeSearchAttributes({ namespace, searchAttributes });
    const missing = await waitFor(async () => {
      const { body } = await service.raw('GET', '/readyz');
      return String(body['parts']?.['searchAttributes']) === 'ok' ? undefined : body;
    });
    expect(missing['parts']).toMatchObject({
      searchAttributes: 'missing EventIds; run: npm run setup',
    });
    await expect(prepareServers(service.config)).rejects.toThrow(
      `Temporal does not let us register the search attributes of namespace ${namespace}; ` +
        'add them yourself (docs/deployment.md, "Temporal Cloud"): EventIds=KeywordList',
    );
  });
});

describe('a gateway that requires a certificate', () => {
  let gateway: TemporalGateway;
  beforeAll(async () => {
    gateway = await startTemporalGateway({ asksForCertificate: true, refusesOperators: false });
  });
  afterAll(async () => gateway[Symbol.asyncDispose]());

  const secrets = {
    MONGODB_URI: 'mongodb://localhost',
    HERALD_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    HERALD_KEY_PEPPER: 'p'.repeat(32),
  };
  const absent = { TEMPORAL_TLS_CLIENT_CERT_DATA: '', TEMPORAL_TLS_CLIENT_KEY_DATA: '' };

  test.each<[string, Record<string, string>]>([
    ['a client without one', absent],
    ['a client that expects another server', { TEMPORAL_TLS_SERVER_NAME: 'other.example.com' }],
    ['a client that does not know its authority', { TEMPORAL_TLS_SERVER_CA_CERT_DATA: '' }],
    ['a client without TLS', { ...absent, TEMPORAL_TLS: 'false' }],
  ])('lets no call of %s through', async (_who, changed) => {
    const env = { ...secrets, ...certificateSettings(gateway), ...changed };
    await expect(connectTemporal(readConfig(env).temporal)).rejects.toThrow(
      `Temporal at ${gateway.address} cannot be reached`,
    );
    expect(gateway.calls).toEqual([]);
  });
});
