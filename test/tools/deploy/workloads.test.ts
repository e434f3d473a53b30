// The rules of `npm run test:deploy` for the chart's Deployments: each is broken once.
import { expect, test } from 'vitest';
import { settingFaults } from '../../../dev/deploy/check-settings.ts';
import { deploymentFaults } from '../../../dev/deploy/check-workloads.ts';
import { parseManifests } from '../../../dev/deploy/manifests.ts';

const deployment = `
kind: Deployment
metadata: {name: api}
spec:
  template:
    spec:
      terminationGracePeriodSeconds: 25
      containers:
        - name: api
          env: [{name: PORT, value: '3000'}]
          livenessProbe: {httpGet: {path: /healthz, port: http}}
          lifecycle: {preStop: {sleep: {seconds: 10}}}
`;
const stop = 'gives its pods the time of a stop';
const probe = 'restarts no api because MongoDB or Temporal is unavailable';

test.each([
  ['Seconds: 25', 'Seconds: 24', stop],
  ["value: '3000'}", "value: '3000'}, {name: HERALD_DRAIN_FOR, value: 4s}", stop],
  ['seconds: 10', 'seconds: 11', stop],
  ['path: /healthz', 'path: /readyz', probe],
  ['livenessProbe', 'other', probe],
])('%s may not be %s', (right, wrong, what) => {
  expect(deployment).toContain(right);
  const faults = deploymentFaults(parseManifests(deployment.replace(right, wrong)));
  expect(faults).toEqual([`Deployment api: not: ${what}`]);
});

test('valid workloads have no faults', () => {
  expect(deploymentFaults(parseManifests(deployment))).toEqual([]);
  expect(settingFaults(parseManifests(deployment))).toEqual([]);
});

test.each([
  ["name: PORT, value: '3000'", 'name: HERALD_PROT, value: a', 'api: no process reads HERALD_PROT'],
  ["value: '3000'", "value: '70000'", 'PORT: must be a port'],
])('a setting that the service rejects is found: %s, %s', (right, wrong, fault) => {
  const [found] = settingFaults(parseManifests(deployment.replace(right, wrong)));
  expect(found).toContain(fault);
});
