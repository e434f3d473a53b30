// What the Helm chart states twice, compared without Helm. `npm run test:deploy` renders it.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isKnownSetting, knownSettings } from '../../../dev/deploy/known-settings.ts';
import {
  ipv6GlobalUnicast,
  refusedIpv4Ranges,
  refusedIpv6Ranges,
} from '../../../lib/egress/address-ranges.ts';
import {
  deliveriesTaskQueue,
  eventsTaskQueue,
  orderTaskQueue,
  retriesTaskQueue,
} from '../../../lib/temporal/names.ts';

const chart = 'deploy/kubernetes/agent-herald';
const read = (name: string): string => readFileSync(`${chart}/${name}`, 'utf8');
const schema = JSON.parse(read('values.schema.json')) as {
  properties: Record<'settings' | 'secrets', unknown>;
};
const isValid = new Ajv({ strict: false }).compile(schema);
/** Settings that values with other names set. */
const ownValues: Readonly<Record<string, string>> = {
  PORT: 'api.port',
  HERALD_METRICS_PORT: 'metrics.port',
};

/** Returns the names in the tables of docs/configuration.md that processes of the service read. */
function documentedSettings(): string[] {
  const text = readFileSync('docs/configuration.md', 'utf8');
  const [service = '', temporal = ''] = ['The service', 'Temporal'].map(
    (title) => new RegExp(`^## ${title}\n(.*?)^## `, 'ms').exec(text)?.[1] ?? '',
  );
  const names = `${service}${temporal}`
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => (line.split('|')[1] ?? '').match(/[A-Z][A-Z0-9_*]+/g) ?? []);
  return names.map((name) => name.replace('*', 'TIMEOUT'));
}

test('each documented setting can be set by a value', () => {
  const names = documentedSettings();
  expect(names.length).toBeGreaterThan(60);
  const settable = (name: string): boolean =>
    name in ownValues ||
    isValid({ settings: { [name]: 'a' } }) ||
    isValid({ secrets: { values: { [name]: 'a' } } });
  expect(names.filter((name) => !settable(name))).toEqual([]);
});

test('each name that the chart accepts as a setting is read by the service', () => {
  const known = knownSettings();
  const text = JSON.stringify([schema.properties.settings, schema.properties.secrets]);
  const names = text.match(/"[A-Z][A-Z0-9_]{3,}"/g)?.map((name) => name.slice(1, -1)) ?? [];
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !isKnownSetting(name, known))).toEqual([]);
});

test.each([
  ['a secret', { settings: { HERALD_KEY_PEPPER: 'a' } }],
  ['headers to a collector', { settings: { OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'a' } }],
  ['an unknown name', { settings: { HERALD_RETENTON: '90d' } }],
  ['a setting that is no secret', { secrets: { values: { HERALD_RETENTION: '90d' } } }],
  ['a list', { settings: { HERALD_ALLOW_CIDRS: ['10.0.0.0/8'] } }],
])('settings reject %s', (_what, values) => {
  expect(isValid(values)).toBe(false);
});

test('the values of the chart and of its ci/ match its schema', () => {
  for (const name of ['values', 'ci/minimal-values', 'ci/managed-servers-values']) {
    expect({ name, isValid: isValid(parse(read(`${name}.yaml`))) }).toEqual({
      name,
      isValid: true,
    });
  }
});

test('the policies reject the ranges that the service rejects', () => {
  const ranges = (name: string): string[] =>
    new RegExp(`define "${name}" -}}\n(.*?)\n{{- end`, 's')
      .exec(read('templates/_egress.tpl'))?.[1]
      ?.split('\n')
      .map((line) => line.replace('- ', '')) ?? [];
  expect(ranges('herald.refusedIpv4')).toEqual(refusedIpv4Ranges.map(({ cidr }) => cidr));
  expect(ranges('herald.refusedIpv6')).toEqual(refusedIpv6Ranges.map(({ cidr }) => cidr));
  expect(read('templates/_egress.tpl')).toContain(`cidr: ${ipv6GlobalUnicast.cidr}\n`);
});

test('workers are added for the backlog of each task queue', () => {
  const template = read('templates/worker.yaml');
  const activities = [deliveriesTaskQueue, retriesTaskQueue, orderTaskQueue];
  const types = activities.map((queue) => [queue, 'activity'] as const);
  for (const [queue, type] of [[eventsTaskQueue, 'workflow'] as const, ...types]) {
    expect(template).toContain(`"${queue}" "${type}"`);
  }
});

test('chart, image and service have the same version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  const compose = readFileSync('docker-compose.yml', 'utf8');
  expect(compose).toContain(`image: agent-herald:${version}\n`);
});
