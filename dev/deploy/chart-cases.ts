// The values with which the chart is checked, and what its policies must then allow.
import type { Target } from './network-policy.ts';

export interface ChartCase {
  /** The name of its values file in the chart's `ci/`. */
  readonly name: string;
  readonly allowed: Readonly<Record<string, readonly Target[]>>;
  readonly denied: Readonly<Record<string, readonly Target[]>>;
}

interface RefusedCase {
  /** Set in addition to the minimal values. */
  readonly set: readonly string[];
  readonly reason: RegExp;
}

const to = (address: string, port = 443): Target => ({ address, port });
const inCluster = (namespace: string, port: number, address = '10.8.1.7'): Target => ({
  address,
  port,
  namespace,
});
const dns: readonly Target[] = (['UDP', 'TCP'] as const).map((protocol) => ({
  ...inCluster('kube-system', 53),
  protocol,
}));
const ownDns: readonly Target[] = (['UDP', 'TCP'] as const).map((protocol) => ({
  ...to('192.0.2.53', 53),
  protocol,
}));
const receivers = [to('93.184.215.14'), to('93.184.215.14', 8443), to('2a00:1450:4001::5')];
const neverPublic = [
  to('10.8.0.1'),
  to('10.96.0.1'),
  to('127.0.0.1', 8443),
  to('169.254.169.254'),
  to('192.168.1.10'),
  to('168.63.129.16'),
  to('fd00:ec2::254'),
  to('fe80::1'),
  to('64:ff9b::a9fe:a9fe'),
  inCluster('own', 443),
  inCluster('kube-system', 443),
  to('93.184.215.14', 22),
];
const mongodb = { ...inCluster('own', 27017), labels: { app: 'mongodb' } };

export const chartCases: readonly ChartCase[] = [
  {
    name: 'minimal',
    allowed: {
      api: [...receivers, ...dns, to('10.8.0.9', 27017), to('10.8.0.9', 7233)],
      worker: [...receivers, ...dns, to('10.8.0.9', 27017), to('10.8.0.9', 7233)],
      setup: [...dns, to('10.8.0.9', 27017), to('10.8.0.9', 7233)],
    },
    denied: {
      api: [...neverPublic, to('93.184.215.14', 80), to('10.8.0.9', 4318)],
      worker: [...neverPublic, to('93.184.215.14', 587)],
      setup: [...neverPublic, ...receivers],
    },
  },
  {
    name: 'managed-servers',
    allowed: { api: ownDns, worker: [...receivers, ...ownDns, to('34.1.2.3', 7233)] },
    denied: { api: [...neverPublic, ...receivers], worker: [...neverPublic, ...dns] },
  },
  {
    name: 'all-options',
    allowed: {
      api: [to('93.184.215.14'), to('93.184.215.14', 9443), to('93.184.215.14', 80), mongodb],
      worker: [
        ...dns,
        mongodb,
        inCluster('temporal', 7233),
        inCluster('telemetry', 4318),
        to('192.0.2.25', 587),
        to('10.9.0.1', 3128),
        to('10.20.255.1'),
        to('fd00:20::7', 9443),
      ],
      setup: [...dns, mongodb, inCluster('temporal', 7233)],
    },
    denied: {
      api: [...neverPublic, to('10.21.0.1'), to('fd00:20::8')],
      worker: [
        ...neverPublic,
        to('93.184.215.14', 8443),
        inCluster('own', 27017),
        { ...mongodb, namespace: 'other' },
        inCluster('other', 7233),
        to('34.118.224.10'),
        to('34.118.240.1', 27017),
        to('2600:1900::10'),
        to('198.41.0.4'),
        to('2606:4700::6810:1'),
        to('192.0.2.25', 465),
      ],
      setup: [inCluster('telemetry', 4318), to('10.20.0.1'), ...receivers],
    },
  },
];

const because = (reason: RegExp, ...set: readonly string[]): RefusedCase => ({ set, reason });

/** Rejected values, by what is wrong with them. */
export const refusedCases: Readonly<Record<string, RefusedCase>> = {
  'a secret is missing': because(
    /set values\.HERALD_KEY_PEPPER/,
    'secrets.values.HERALD_KEY_PEPPER=',
  ),
  'there are two sources of secrets': because(
    /existingSecret or values, not both/,
    'secrets.existingSecret=herald',
  ),
  'nobody knows the public address': because(
    /settings\.HERALD_PUBLIC_URL: the address/,
    'settings.HERALD_PUBLIC_URL=',
  ),
  'a value has a name that is none': because(/replica/, 'api.replica=3'),
  'the ingress has no host': because(/ingress\.host/, 'ingress.enabled=true'),
  'a folder of files comes from nowhere': because(
    /a secret or a configMap/,
    'files[0].name=a',
    'files[0].mountPath=/a',
  ),
};
