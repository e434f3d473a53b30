// The evaluator with which `npm run test:deploy` checks the chart's NetworkPolicies.
import { describe, expect, test } from 'vitest';
import { parseManifests } from '../../../dev/deploy/manifests.ts';
import { allowsEgress, type Target } from '../../../dev/deploy/network-policy.ts';

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
const api = { role: 'api' };
const pod = { address: '10.1.1.1', port: 443, namespace: 'own', labels: { app: 'db' } };

function verdict(text: string, target: Target): boolean {
  return allowsEgress(parseManifests(text), api, target);
}

describe('a connection is allowed', () => {
  test.each<[string, string, Target]>([
    ['where no policy selects the pod', policy('other', '[]'), pod],
    ['where a policy is about what comes in', policy('api', '[]', '[Ingress]'), pod],
    ['into a range', policy('api', internet), { address: '9.255.255.255', port: 443 }],
    ['by a rule without peers or ports', policy('api', '[{}]'), pod],
    [
      'to pods with the labels',
      policy('api', '[{to: [{podSelector: {matchLabels: {app: db}}}]}]'),
      pod,
    ],
    [
      'to every pod of a namespace',
      policy(
        'api',
        '[{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: dns}}}]}]',
      ),
      { ...pod, namespace: 'dns' },
    ],
    [
      'by one of two policies',
      `${policy('api', '[]')}---${policy('api', internet)}`,
      { address: '11.0.0.0', port: 443 },
    ],
  ])('%s', (_what, text, target) => expect(verdict(text, target)).toBe(true));
});

describe('a connection is denied', () => {
  test.each<[string, string, Target]>([
    ['where the policy has no rule', policy('api', '[]'), pod],
    ['in an exception of the range', policy('api', internet), { address: '10.0.0.0', port: 443 }],
    ['on another port', policy('api', internet), { address: '11.0.0.0', port: 444 }],
    [
      'by another protocol',
      policy('api', internet),
      { address: '11.0.0.0', port: 443, protocol: 'UDP' },
    ],
    ['by IPv6 into a range of IPv4', policy('api', internet), { address: '2a00::1', port: 443 }],
    [
      'to pods of another namespace',
      policy('api', '[{to: [{podSelector: {matchLabels: {app: db}}}]}]'),
      { ...pod, namespace: 'other' },
    ],
    [
      'to pods without the labels',
      policy('api', '[{to: [{podSelector: {matchLabels: {app: web}}}]}]'),
      pod,
    ],
    [
      'to what is outside by a selector',
      policy('api', '[{to: [{namespaceSelector: {}}]}]'),
      { address: '11.0.0.0', port: 443 },
    ],
  ])('%s', (_what, text, target) => expect(verdict(text, target)).toBe(false));
});
