// What the Helm chart states twice, compared without Helm, its memory limits, and the rules by which `npm run test:deploy`
// checks its manifests: each is broken once.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { settingFaults } from '../../../dev/deploy/check-settings.ts';
import { podFaults } from '../../../dev/deploy/check-workloads.ts';
import { parseManifests } from '../../../dev/deploy/manifests.ts';
import { allowsEgress, type Target } from '../../../dev/deploy/network-policy.ts';
import { bytesOf } from '../../../dev/limits/memory.ts';
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

interface Values {
  setup: Role;
  api: Role;
  worker: Role;
}

interface Role {
  resources: { limits: { memory: string } };
}

const values = parse(read('values.yaml')) as Values;
const sizes: Readonly<Record<string, number>> = { M: 1024 ** 2, G: 1024 ** 3 };

/** The chart and the units write 512 MiB and 3 GiB in different ways: `512Mi`, `3Gi`; `512M`, `3G`. */
function bytesIn(text: string | undefined): number {
  const [, count, unit = ''] = /^(\d+)([MG])i?$/.exec(text ?? '') ?? [];
  return Number(count) * (sizes[unit] ?? Number.NaN);
}

const inChart = (role: keyof Values): number => bytesIn(values[role].resources.limits.memory);

function inUnit(role: string): number {
  const unit = readFileSync(`deploy/systemd/agent-herald-${role}.service`, 'utf8');
  return bytesIn(/^MemoryMax=(.*)$/m.exec(unit)?.[1]);
}

test.each(['api', 'worker'] as const)(
  'the memory limit of the %s is above the sum of its bounds, by at most a quarter',
  (role) => {
    expect(inChart(role)).toBeGreaterThan(bytesOf(role));
    expect(inChart(role)).toBeLessThan(1.25 * bytesOf(role));
  },
);

test.each(['setup', 'api', 'worker'] as const)(
  'the unit of the %s has the limit of the chart',
  (role) => {
    expect(inUnit(role)).toBe(inChart(role));
  },
);

const deployment = `
kind: Deployment
metadata: {name: api}
spec:
  template:
    spec:
      terminationGracePeriodSeconds: 25
      automountServiceAccountToken: false
      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
      containers:
        - name: api
          env: [{name: PORT, value: '3000'}]
          livenessProbe: {httpGet: {path: /healthz, port: http}}
          lifecycle: {preStop: {sleep: {seconds: 10}}}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: {drop: [ALL]}
`;
const stop = 'gives its pods the time of a stop';
const rights = 'runs without rights';
const probe = 'restarts no api because MongoDB or Temporal is unavailable';

test.each([
  ['Seconds: 25', 'Seconds: 24', stop],
  ["value: '3000'}", "value: '3000'}, {name: HERALD_DRAIN_FOR, value: 4s}", stop],
  ['seconds: 10', 'seconds: 11', stop],
  ['path: /healthz', 'path: /readyz', probe],
  ['livenessProbe', 'other', probe],
  ['Token: false', 'Token: true', rights],
  ['Root: true', 'Root: false', rights],
  ['RuntimeDefault', 'Unconfined', rights],
  ['Escalation: false', 'Escalation: true', rights],
  ['Filesystem: true', 'Filesystem: false', rights],
  ['[ALL]', '[CHOWN]', rights],
])('%s may not be %s', (right, wrong, what) => {
  expect(deployment).toContain(right);
  const faults = podFaults(parseManifests(deployment.replace(right, wrong)));
  expect(faults).toEqual([`Deployment api: not: ${what}`]);
});

test('valid workloads have no faults', () => {
  expect(podFaults(parseManifests(deployment))).toEqual([]);
  expect(settingFaults(parseManifests(deployment))).toEqual([]);
});

test.each([
  ["name: PORT, value: '3000'", 'name: HERALD_PROT, value: a', 'api: no process reads HERALD_PROT'],
  ["value: '3000'", "value: '70000'", 'PORT: must be a port'],
])('a setting that the service rejects is found: %s, %s', (right, wrong, fault) => {
  const [found] = settingFaults(parseManifests(deployment.replace(right, wrong)));
  expect(found).toContain(fault);
});

const policy = (pod: string, rules: string, types = '[Egress]'): string => `
kind: NetworkPolicy
metadata: {name: ${pod}}
spec:
  podSelector: {matchLabels: {role: ${pod}}}
  policyTypes: ${types}
  egress: ${rules}
`;
const internet =
  '[{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8]}}], ports: [{protocol: TCP, port: 443}]}]';
const toPods = (app: string) => `[{to: [{podSelector: {matchLabels: {app: ${app}}}}]}]`;
const toNamespace =
  '[{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: dns}}}]}]';
const pod = { address: '10.1.1.1', port: 443, namespace: 'own', labels: { app: 'db' } };
const outside = { address: '11.0.0.0', port: 443 };
const two = `${policy('api', '[]')}---${policy('api', internet)}`;

test.each<[boolean, string, string, Target]>([
  [true, 'where no policy selects the pod', policy('other', '[]'), pod],
  [true, 'where a policy is about what comes in', policy('api', '[]', '[Ingress]'), pod],
  [true, 'into a range', policy('api', internet), { ...outside, address: '9.255.255.255' }],
  [true, 'by a rule without peers or ports', policy('api', '[{}]'), pod],
  [true, 'to pods with the labels', policy('api', toPods('db')), pod],
  [true, 'to pods of a namespace', policy('api', toNamespace), { ...pod, namespace: 'dns' }],
  [true, 'by one of two policies', two, outside],
  [false, 'where the policy has no rule', policy('api', '[]'), pod],
  [false, 'in an exception', policy('api', internet), { ...outside, address: '10.0.0.0' }],
  [false, 'on another port', policy('api', internet), { ...outside, port: 444 }],
  [false, 'by another protocol', policy('api', internet), { ...outside, protocol: 'UDP' }],
  [
    false,
    'by IPv6 to a range of IPv4',
    policy('api', internet),
    { ...outside, address: '2a00::1' },
  ],
  [false, 'in another namespace', policy('api', toPods('db')), { ...pod, namespace: 'other' }],
  [false, 'to pods without the labels', policy('api', toPods('web')), pod],
  [false, 'outside by a selector', policy('api', '[{to: [{namespaceSelector: {}}]}]'), outside],
])('that a connection is allowed is %s %s', (...row) => {
  const [allowed, , text, target] = row;
  expect(allowsEgress(parseManifests(text), { role: 'api' }, target)).toBe(allowed);
});
