// The settings: all faults are reported together, no message shows a secret, the defaults are safe, and no option of
// MONGODB_URI weakens a guarantee of the service.
import { readConfig } from '../../../lib/config/config.ts';
import { dayMs } from '../../../lib/platform/duration.ts';
import type { Environment } from '../../../lib/config/setting-reader.ts';
import { ConfigError } from '../../../lib/platform/config-error.ts';
import { makeDevSecrets } from '../../../dev/start/dev-secrets.ts';
import { MongoClient } from 'mongodb';
import { asMongodbUri } from '../../../lib/config/mongodb-uri.ts';

const secrets = makeDevSecrets();
const valid: Record<string, string> = {
  MONGODB_URI: 'mongodb://user:hunter2@db.example:27017/?replicaSet=rs',
  ...secrets,
};

function faultsOf(environment: Environment): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').slice(1);
  }
  return [];
}

const namesOf = (faults: string[]): string[] =>
  faults.map((fault) => /^ {2}- ([A-Z_]+): /.exec(fault)?.[1] ?? fault);

test('all missing required settings are reported together', () => {
  const needed = ['HERALD_KEY_PEPPER', 'HERALD_SECRET_KEYS', 'MONGODB_URI'];
  expect(namesOf(faultsOf({})).toSorted()).toEqual(needed);
  const empty = Object.fromEntries(needed.map((name) => [name, '  ']));
  expect(namesOf(faultsOf(empty)).toSorted()).toEqual(needed);
});

test('the defaults are those of production: only https, on two ports, to public addresses', () => {
  const config = readConfig(valid);
  expect(config.egress).toEqual({
    allowHttp: false,
    ports: [443, 8443],
    allowHosts: [],
    allowCidrs: [],
    denyCidrs: [],
  });
  expect(config.http).toEqual({
    port: 3000,
    host: '0.0.0.0',
    publicUrl: 'http://localhost:3000',
    trustedProxyHops: 0,
    connectionsMax: 10_000,
    connectionsPerAddressMax: 2_000,
    requestsAtOnceMax: 500,
    drainMs: 3_000,
  });
  expect(config.userTokenLifetimeMs).toBe(900_000);
  expect(config.retryScheduleMs).toHaveLength(11);
  expect(config.webhooksPerAppMax).toBe(100);
  expect(config.deactivateAfterMs).toBe(5 * dayMs);
  expect(config.processingOverdueAfterMs).toBe(dayMs / 24);
  expect(config.retention).toEqual({
    recordsMs: 30 * dayMs,
    heldMs: 3 * dayMs,
    auditMs: 400 * dayMs,
  });
});

const bad: [string, string][] = [
  ['MONGODB_URI', 'mongodb://user:hunter2@db.example/?replicaSet=rs&journal=false'],
  ['HERALD_TRUSTED_PROXY_HOPS', '10'],
  ['HERALD_CONNECTIONS', '0'],
  ['HERALD_CONNECTIONS', '1000001'],
  ['HERALD_DRAIN_FOR', '61s'],
  ['HERALD_CONNECTIONS_PER_ADDRESS', '-1'],
  ['HERALD_CONNECTIONS_PER_ADDRESS', '1000001'],
  ['HERALD_REQUESTS_AT_ONCE', '0'],
  ['HERALD_REQUESTS_AT_ONCE', '10001'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', 'http'],
  ['HERALD_PUBLIC_URL', 'ftp://herald.example'],
  ['HERALD_PUBLIC_URL', 'https://herald.example?tenant=1'],
  ['HERALD_PUBLIC_URL', 'https://herald.example/#top'],
  ['HERALD_PUBLIC_URL', 'https://user:hunter2@herald.example'],
  ['HERALD_TEMPORAL_UI_URL', 'temporal.example:8233'],
  ['HERALD_TRACE_SAMPLING', '-0.1'],
  ['HERALD_TRACE_SAMPLING', '1.01'],
  ['HERALD_TRACE_SAMPLING', '1'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'collector:4318'],
  ['HERALD_SEND_TRACEPARENT', 'no'],
  ['HERALD_EGRESS_ADDRESSES', 'hooks.example.com'],
  ['HERALD_TRACE_URL_TEMPLATE', 'javascript:alert("{traceId}")'],
  ['HERALD_TRACE_URL_TEMPLATE', 'https://jaeger.example.com/{traceId}/{traceId}'],
  ['HERALD_TRACE_URL_TEMPLATE', 'https://user:hunter2@jaeger.example.com/{traceId}'],
  ['HERALD_ALLOW_HTTP_WEBHOOKS', 'yes'],
  ['HERALD_WEBHOOK_PORTS', '443,99999'],
  ['HERALD_ALLOW_HOSTS', 'hooks.internal,*.corp'],
  ['HERALD_ALLOW_HOSTS', '10.0.0.1'],
  ['HERALD_ALLOW_CIDRS', '10.0.0.0/33'],
  ['HERALD_DENY_CIDRS', '10.0.0.0/8,nonsense'],
  ['HERALD_EGRESS_PROXY', 'https://proxy.example:3128'],
  ['HERALD_SMTP_URL', 'smtp://user@mail.example.com'],
  ['HERALD_MAIL_FROM', 'Herald <herald@example.com>'],
  ['HERALD_RETRY_SCHEDULE', '5'],
  ['HERALD_RETRY_SCHEDULE', '999ms'],
  ['HERALD_RETRY_SCHEDULE', '7d,1s'],
  ['HERALD_RETRY_SCHEDULE', Array(21).fill('1s').join(',')],
  ['HERALD_RETENTION', '14d'],
  ['HERALD_RETENTION', '3651d'],
  ['HERALD_AUDIT_RETENTION', '14d'],
  ['HERALD_HELD_FOR', '59s'],
  ['HERALD_DEACTIVATE_AFTER', '366d'],
  ['HERALD_PROCESSING_OVERDUE_AFTER', '59s'],
  ['HERALD_WEBHOOKS_PER_APP', '0'],
  ['HERALD_WEBHOOKS_PER_APP', '1001'],
  ['HERALD_EVENTS_PER_WORKFLOW', '0'],
  ['HERALD_EVENTS_PER_WORKFLOW', '61'],
  ['HERALD_USER_TOKEN_LIFETIME', '59s'],
  ['HERALD_USER_TOKEN_LIFETIME', '61m'],
  ['HERALD_SIGNING_KEY_ROTATION', '23h'],
  ['HERALD_SIGNING_KEY_ROTATION', '366d'],
  ['HERALD_METRICS_PORT', '65536'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'grpc://collector:4317'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_METRICS_EXPORTER', 'prometheus'],
  ['OTEL_METRIC_EXPORT_INTERVAL', '99'],
  ['OTEL_METRIC_EXPORT_INTERVAL', '3600001'],
  ['HERALD_KEY_PEPPER', 'x'.repeat(31)],
  ['HERALD_SECRET_KEYS', 'k1:dG9vIHNob3J0'],
];

test.each(bad)('%s=%j is reported as the only fault', (name, value) => {
  expect(namesOf(faultsOf({ ...valid, [name]: value }))).toEqual([name]);
});

test.each([
  ['PORT', '65535'],
  ['HERALD_WEBHOOK_PORTS', 'any'],
  ['HERALD_ALLOW_CIDRS', ' 127.0.0.0/8 , fd00::/8 ,'],
  ['HERALD_ALLOW_HOSTS', 'receiver, Hooks.Internal,svc.cluster.local'],
  ['HERALD_EGRESS_PROXY', 'http://user:secret@proxy.example:3128'],
  ['HERALD_RETRY_SCHEDULE', '7d'],
  ['HERALD_RETRY_SCHEDULE', Array(20).fill('1000ms').join(',')],
  ['HERALD_RETENTION', '15d'],
  ['HERALD_AUDIT_RETENTION', '3650d'],
  ['HERALD_DRAIN_FOR', '0s'],
  ['HERALD_DRAIN_FOR', '60s'],
  ['HERALD_HELD_FOR', '1m'],
  ['HERALD_DEACTIVATE_AFTER', '365d'],
  ['HERALD_PROCESSING_OVERDUE_AFTER', '1m'],
  ['HERALD_TRUSTED_PROXY_HOPS', '9'],
  ['HERALD_WEBHOOKS_PER_APP', '1'],
  ['HERALD_WEBHOOKS_PER_APP', '1000'],
  ['HERALD_EVENTS_PER_WORKFLOW', '1'],
  ['HERALD_EVENTS_PER_WORKFLOW', '60'],
  ['HERALD_USER_TOKEN_LIFETIME', '1m'],
  ['HERALD_USER_TOKEN_LIFETIME', '60m'],
  ['HERALD_SIGNING_KEY_ROTATION', '1d'],
  ['HERALD_SIGNING_KEY_ROTATION', '365d'],
  ['HERALD_KEY_PEPPER', 'x'.repeat(32)],
])('%s=%j is accepted', (name, value) => {
  expect(faultsOf({ ...valid, [name]: value })).toEqual([]);
});

test('the identity provider needs all three settings or none, and https except on this machine', () => {
  const oidc = {
    HERALD_OIDC_ISSUER: 'https://id.example/realm',
    HERALD_OIDC_CLIENT_ID: 'herald',
    HERALD_OIDC_CLIENT_SECRET: 'hunter2',
  };
  expect(readConfig(valid).oidc).toBeNull();
  const config = readConfig({ ...valid, ...oidc });
  expect(config.oidc).toEqual({
    issuer: 'https://id.example/realm',
    clientId: 'herald',
    clientSecret: 'hunter2',
  });
  expect(JSON.stringify(config.shown)).not.toContain('hunter2');
  for (const name of Object.keys(oidc)) {
    const [fault = '', ...more] = faultsOf({ ...valid, ...oidc, [name]: '' });
    expect(more).toEqual([]);
    expect(fault).toContain('set all three or none');
  }
  for (const issuer of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
    expect(faultsOf({ ...valid, ...oidc, HERALD_OIDC_ISSUER: issuer })).toEqual([]);
  }
});

test('an address may open a fifth of the connections or a set number, and any number behind proxies', () => {
  const shareOf = (environment: Environment): number | null =>
    readConfig({ ...valid, ...environment }).http.connectionsPerAddressMax;
  expect(shareOf({ HERALD_CONNECTIONS: '501' })).toBe(101);
  expect(shareOf({ HERALD_CONNECTIONS: '1' })).toBe(1);
  expect(shareOf({ HERALD_CONNECTIONS_PER_ADDRESS: '1' })).toBe(1);
  expect(shareOf({ HERALD_CONNECTIONS_PER_ADDRESS: '0' })).toBeNull();
  expect(shareOf({ HERALD_TRUSTED_PROXY_HOPS: '1' })).toBeNull();
  const both = { HERALD_TRUSTED_PROXY_HOPS: '1', HERALD_CONNECTIONS_PER_ADDRESS: '100' };
  expect(shareOf(both)).toBeNull();
});

test.each([
  ['https://herald.example/base//', 'https://herald.example/base'],
  ['http://herald.example:80/', 'http://herald.example'],
  ['https://b\u00fccher.example/a/../b', 'https://xn--bcher-kva.example/b'],
])('the public address %s is used as %s', (text, publicUrl) => {
  expect(readConfig({ ...valid, HERALD_PUBLIC_URL: text }).http.publicUrl).toBe(publicUrl);
});

test.each([
  [{ HERALD_SMTP_URL: 'smtp://mail.example.com' }],
  [{ HERALD_MAIL_FROM: 'herald@example.com' }],
])('%j without the other mail setting is refused', (mail) => {
  const fault = '  - HERALD_SMTP_URL and HERALD_MAIL_FROM: set both or none';
  expect(faultsOf({ ...valid, ...mail })).toEqual([fault]);
  const both = { HERALD_SMTP_URL: 'smtp://mail.example.com', HERALD_MAIL_FROM: 'h@example.com' };
  expect(readConfig({ ...valid, ...both }).mail).toMatchObject({ from: 'h@example.com' });
  expect(readConfig(valid).mail).toBeNull();
});

test('no error contains the value of a secret', () => {
  const pepper = 'short-private-pepper';
  const ring = `k1:${Buffer.from('private-key-material').toString('base64')}`;
  const environment = {
    MONGODB_URI: valid['MONGODB_URI'],
    PORT: 'x',
    HERALD_KEY_PEPPER: pepper,
    HERALD_SECRET_KEYS: ring,
    HERALD_EGRESS_PROXY: 'socks5://user:hunter2@proxy.example:1080',
    HERALD_SMTP_URL: 'smtp://user:hunter2@mail.example.com/path',
  };
  const text = faultsOf(environment).join('\n');
  expect(text).toContain('HERALD_KEY_PEPPER');
  expect(text).toContain('HERALD_SECRET_KEYS');
  for (const value of [pepper, ring.slice(3), 'hunter2']) expect(text).not.toContain(value);
});

test.each([
  valid['MONGODB_URI'] ?? '',
  'mongodb://user:hunter2@a.example:27017,b.example:27017/?replicaSet=rs',
  'mongodb+srv://user:hunter2@cluster.example/',
])('the summary contains no value of a secret with the URI %j', (uri) => {
  const proxy = 'http://user:hunter2@proxy.example:3128';
  const mail = {
    HERALD_SMTP_URL: 'smtp://user:hunter2@mail.example.com',
    HERALD_MAIL_FROM: 'herald@example.com',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hunter2@collector:4318',
  };
  const config = readConfig({ ...valid, ...mail, MONGODB_URI: uri, HERALD_EGRESS_PROXY: proxy });
  const summary = JSON.stringify(config.shown);
  expect(summary).toContain('"HERALD_EGRESS_PROXY":"proxy.example:3128"');
  expect(summary).toContain('"HERALD_SMTP_URL":"set"');
  expect(summary).toContain('"HERALD_KEY_PEPPER":"set"');
  const ringKey = secrets.HERALD_SECRET_KEYS.split(':')[1] ?? '';
  for (const value of ['hunter2', secrets.HERALD_KEY_PEPPER, ringKey]) {
    expect(value).not.toBe('');
    expect(summary).not.toContain(value);
  }
});

const secret = 'hunter2';

function faultOf(uri: string): string {
  try {
    asMongodbUri(uri);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
}

const optionsWithOneValue = {
  journal: ['false', 'true'],
  j: ['false', 'true'],
  w: ['1', 'majority'],
  readConcernLevel: ['local', 'majority'],
  readPreference: ['secondaryPreferred', 'primary'],
  retryWrites: ['false', 'true'],
  retryReads: ['false', 'true'],
  loadBalanced: ['true', 'false'],
  tlsAllowInvalidCertificates: ['true', 'false'],
  tlsAllowInvalidHostnames: ['true', 'false'],
  tlsInsecure: ['true', 'false'],
};

test.each(Object.entries(optionsWithOneValue))(
  '%s is refused with another value than that of the service',
  (name, [wrong, right]) => {
    const uri = `mongodb://herald:${secret}@db.example/?replicaSet=rs0&`;
    expect(faultOf(`${uri}${name}=${right}`)).toBe('');
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      const fault = faultOf(`${uri}${spelling}=${wrong}`);
      expect(fault).toMatch(new RegExp(`^remove \`${spelling}=${wrong}\`: .{20}`));
      expect(fault).not.toContain(secret);
    }
  },
);

test.each([
  'wtimeoutMS',
  'serverSelectionTimeoutMS',
  'ignoreUndefined',
  'rejectUnauthorized',
  'colour',
])('%s is refused by its name, and its value is not shown', (name) => {
  const fault = faultOf(`mongodb://db.example/?${name}=${secret}`);
  expect(fault).toMatch(new RegExp(`^remove \`${name}\`: `));
  expect(fault).not.toContain(secret);
});

test('all refused options are named together', () => {
  const fault = faultOf('mongodb://db.example/?w=1&replicaSet=rs0&timeoutMS=5&w=1');
  expect(fault.match(/remove `[^`]+`/g)).toEqual(['remove `w=1`', 'remove `timeoutMS`']);
});

test.each([
  `mongodb+srv://herald:${secret}@cluster0.a1b2c.mongodb.net/?retryWrites=true&w=majority&appName=Cluster0`,
  `mongodb://herald:${secret}@s-00.a1b2c.mongodb.net:27017,s-01.a1b2c.mongodb.net:27017/?ssl=true&replicaSet=atlas-x1&authSource=admin&retryWrites=true&w=majority&appName=Cluster0`,
  `mongodb://herald:${secret}@db.example/herald?replicaSet=rs0&authMechanism=SCRAM-SHA-256&tls=true&tlsCAFile=%2Fetc%2Fca.pem&tlsCertificateKeyFile=%2Fetc%2Fclient.pem&tlsCertificateKeyFilePassword=${secret}&compressors=zlib&maxIdleTimeMS=120000`,
  'mongodb://127.0.0.1:27017/?directConnection=true',
  'mongodb://db-0.db,db-1.db,db-2.db/?replicaSet=rs0',
  'mongodb://db.example',
])('%s is accepted, also by the driver', async (uri) => {
  expect(asMongodbUri(uri)).toBe(uri);
  await new MongoClient(uri).close();
});

// The driver parses the options after the last question mark.
test.each([`her?ald:hun/ter?j=true`, 'herald'])('a user %j hides no option', (user) => {
  expect(faultOf(`mongodb://${user}@db.example/?journal=false`)).toMatch(
    /^remove `journal=false`: [^;]+$/,
  );
});
