// The settings of the installation that operators can see, none of which is secret.
import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { startService } from '../../support/service.ts';

test('the settings are those of the process, with durations as text', async () => {
  await using service = await startService({
    worker: false,
    env: {
      HERALD_RETRY_SCHEDULE: '5s,90s,1h',
      HERALD_DEACTIVATE_AFTER: '36h',
      HERALD_RETENTION: '40d',
      HERALD_HELD_FOR: '2d',
      HERALD_AUDIT_RETENTION: '365d',
      HERALD_WEBHOOKS_PER_APP: '7',
      HERALD_USER_TOKEN_LIFETIME: '10m',
      HERALD_TEMPORAL_UI_URL: 'https://temporal.example.com/ui/',
      HERALD_EGRESS_ADDRESSES: '203.0.113.7, 2001:db8::/64',
      HERALD_TRACE_URL_TEMPLATE: 'https://jaeger.example.com/trace/{traceId}',
    },
  });
  const { status, body } = await service.call('GET', '/settings');
  expect(status).toBe(200);
  expect(body).toEqual({
    version: packageJson.version,
    limits: {
      requestBytes: 262_144,
      payloadBytes: 262_144,
      webhooksPerApp: 7,
      attemptTimeout: '5s',
    },
    retrySchedule: ['5s', '90s', '1h'],
    deactivateAfter: '36h',
    retention: { records: '40d', held: '2d', auditLog: '365d' },
    userTokenLifetime: '10m',
    temporalUiUrl: 'https://temporal.example.com/ui',
    temporalNamespace: service.config.temporal.namespace,
    traceUrlTemplate: 'https://jaeger.example.com/trace/{traceId}',
    egressAddresses: ['203.0.113.7', '2001:db8::/64'],
    signingKeys: [expect.objectContaining({ state: 'active' })],
  });
  const sources = await service.raw('GET', '/.well-known/webhook-sources.json', { headers: {} });
  expect(sources.body).toEqual({ known: true, addresses: body['egressAddresses'] });
});

test('they contain no secret, and an address that is not set is null', async () => {
  await using service = await startService({ worker: false });
  const { body, text } = await service.call('GET', '/settings');
  const sources = await service.raw('GET', '/.well-known/webhook-sources.json', { headers: {} });
  expect(sources.body).toEqual({ known: false, addresses: [] });
  expect(body['temporalUiUrl']).toBeNull();
  expect(body['traceUrlTemplate']).toBeNull();
  const { keyPepper, sealingKeys, mongodb } = service.config;
  const keys = await service.store.signingKeys.find().toArray();
  const secrets = [
    keyPepper,
    mongodb.uri,
    service.app.apiKey,
    ...sealingKeys.map(({ key }) => key.toString('base64')),
    ...keys.map(({ privateKey }) => JSON.stringify(privateKey)),
  ];
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/private|pepper|"d":/i);
});
