// The rules of `npm run test:deploy` for the chart's pods: each is broken once.
import { expect, test } from 'vitest';
import { settingFaults } from '../../../dev/deploy/check-settings.ts';
import { hookFaults, workloadFaults } from '../../../dev/deploy/check-workloads.ts';
import { parseManifests } from '../../../dev/deploy/manifests.ts';

const deployment = `
kind: Deployment
metadata: {name: api}
spec:
  strategy: {rollingUpdate: {maxUnavailable: 0}}
  template:
    metadata: {labels: {}}
    spec:
      automountServiceAccountToken: false
      shareProcessNamespace: true
      dnsPolicy: None
      dnsConfig: {nameservers: [192.0.2.53]}
      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
      terminationGracePeriodSeconds: 25
      containers:
        - name: api
          image: herald:1.0
          env: [{name: PORT, value: '3000'}]
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: {drop: [ALL]}
          resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 1Gi}}
          startupProbe: {httpGet: {path: /healthz, port: http}}
          livenessProbe: {httpGet: {path: /healthz, port: http}}
          readinessProbe: {httpGet: {path: /readyz, port: http}}
          lifecycle: {preStop: {sleep: {seconds: 10}}}
`;
const hooks = `
kind: Secret
metadata: {name: secret, annotations: {helm.sh/hook-weight: '-5'}}
---
kind: Job
metadata: {name: setup, annotations: {helm.sh/hook: 'pre-install,pre-upgrade', helm.sh/hook-weight: '0'}}
spec: {template: {spec: {containers: [{envFrom: [{secretRef: {name: secret}}]}]}}}
`;

test.each([
  ['runAsNonRoot: true', 'runAsNonRoot: false', 'runs as a user other than root'],
  ['RuntimeDefault', 'Unconfined', "has the runtime's seccomp profile"],
  ['Token: false', 'Token: true', 'gets no token of the cluster'],
  ['Namespace: true', 'Namespace: false', 'ends on a signal while it starts'],
  ['nameservers: [192.0.2.53]', 'nameservers: []', "has name servers, its own or the cluster's"],
  ['dnsPolicy: None', 'dnsPolicy: Default', "has name servers, its own or the cluster's"],
  ['Escalation: false', 'Escalation: true', 'cannot get more privileges'],
  ['readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', 'cannot write to its image'],
  ['drop: [ALL]', 'drop: [CHOWN]', 'has no capabilities'],
  ['requests: {cpu: 1, memory: 1Gi}', 'requests: {cpu: 1}', 'requests processor time and memory'],
  ['limits: {memory: 1Gi}', 'limits: {cpu: 1}', 'has a limit of memory'],
  ['herald:1.0', 'herald:latest', 'has an image with a tag or digest'],
  ['herald:1.0', 'herald', 'has an image with a tag or digest'],
  ['maxUnavailable: 0', 'maxUnavailable: 1', 'is never short of a pod in a rollout'],
  ['Seconds: 25', 'Seconds: 24', 'gives its pods the time of a stop'],
  [
    "value: '3000'}",
    "value: '3000'}, {name: HERALD_DRAIN_FOR, value: 4s}",
    'gives its pods the time of a stop',
  ],
  ['startupProbe', 'other', 'asks /healthz as its startupProbe'],
  [
    'livenessProbe: {httpGet: {path: /healthz',
    'livenessProbe: {httpGet: {path: /readyz',
    'asks /healthz as its livenessProbe',
  ],
  ['readinessProbe', 'other', 'has a readinessProbe'],
  ['seconds: 10', 'seconds: 0', 'goes on for a while after its pod is to stop'],
])('%s may not be %s', (right, wrong, what) => {
  expect(deployment).toContain(right);
  const faults = workloadFaults(parseManifests(deployment.replace(right, wrong)));
  expect(faults).toEqual([`Deployment api: not: ${what}`]);
});

test('valid workloads have no faults', () => {
  expect(workloadFaults(parseManifests(deployment))).toEqual([]);
  expect(settingFaults(parseManifests(deployment))).toEqual([]);
  expect(hookFaults(parseManifests(hooks))).toEqual([]);
});

test.each([
  ["name: PORT, value: '3000'", 'name: HERALD_PROT, value: a', 'api: no process reads HERALD_PROT'],
  ["value: '3000'", "value: '70000'", 'PORT: must be a port'],
])('a setting that the service rejects is found: %s, %s', (right, wrong, fault) => {
  const [found] = settingFaults(parseManifests(deployment.replace(right, wrong)));
  expect(found).toContain(fault);
});

test.each([
  ["'-5'", "'0'", 'Secret secret is made after the setup'],
  [
    "annotations: {helm.sh/hook-weight: '-5'}",
    'labels: {}',
    'Secret secret is made after the setup',
  ],
  [',pre-upgrade', '', 'the setup is no hook pre-upgrade'],
])('the setup has what it needs: not with %s as %s', (right, wrong, fault) => {
  expect(hookFaults(parseManifests(hooks.replace(right, wrong)))).toEqual([fault]);
});
