// The requirements on every pod of the chart. Pure functions from rendered manifests to sentences.
import { processLimits } from '../../lib/limits.ts';
import { parseDurationMs } from '../../lib/platform/duration.ts';
import {
  type Container,
  type Manifest,
  type PodSpec,
  workloadsOf,
  type WorkloadSpec,
} from './manifests.ts';

const defaultDrain = '3s';
const spareMs = 2_000;

type Rules<Subject> = Readonly<Record<string, (subject: Subject) => boolean>>;

const podRules: Rules<PodSpec> = {
  'runs as a user other than root': (pod) => !!pod.securityContext?.runAsNonRoot,
  "has the runtime's seccomp profile": (pod) =>
    pod.securityContext?.seccompProfile?.type === 'RuntimeDefault',
  'gets no token of the cluster': (pod) => pod.automountServiceAccountToken === false,
  'ends on a signal while it starts': (pod) => pod.shareProcessNamespace === true,
  "has name servers, its own or the cluster's": (pod) =>
    (pod.dnsPolicy === 'None') === !!pod.dnsConfig?.nameservers?.length,
};

const containerRules: Rules<Container> = {
  'cannot get more privileges': ({ securityContext }) =>
    securityContext?.allowPrivilegeEscalation === false,
  'cannot write to its image': ({ securityContext }) =>
    securityContext?.readOnlyRootFilesystem === true,
  'has no capabilities': ({ securityContext }) =>
    !!securityContext?.capabilities?.drop?.includes('ALL'),
  'requests processor time and memory': ({ resources }) =>
    !!resources?.requests?.['cpu'] && !!resources.requests['memory'],
  'has a limit of memory': ({ resources }) => !!resources?.limits?.['memory'],
  'has an image with a tag or digest': ({ image }) =>
    /(?:@sha256:[0-9a-f]{64}|:[\w.-]+)$/.test(image) && !image.endsWith(':latest'),
};

const deploymentRules: Rules<WorkloadSpec> = {
  'is never short of a pod in a rollout': ({ strategy }) =>
    strategy?.rollingUpdate?.maxUnavailable === 0,
  'gives its pods the time of a stop': ({ template: { spec } }) =>
    (spec.terminationGracePeriodSeconds ?? 0) * 1_000 >=
    preStopSeconds(spec) * 1_000 + drainMs(spec) + processLimits.stopTimeoutMs + spareMs,
};

const apiRules: Rules<Container> = {
  'asks /healthz as its startupProbe': (api) => api.startupProbe?.httpGet?.path === '/healthz',
  'asks /healthz as its livenessProbe': (api) => api.livenessProbe?.httpGet?.path === '/healthz',
  'has a readinessProbe': ({ readinessProbe }) =>
    /^\/(?:healthz|readyz)$/.test(readinessProbe?.httpGet?.path ?? ''),
  'goes on for a while after its pod is to stop': ({ lifecycle }) =>
    (lifecycle?.preStop?.sleep?.seconds ?? 0) > 0,
};

/** Returns the drain time. Only the api drains. */
function drainMs({ containers }: PodSpec): number {
  const { env = [] } = containers.find(({ name }) => name === 'api') ?? {};
  const setting = env.find(({ name }) => name === 'HERALD_DRAIN_FOR')?.value;
  return parseDurationMs(setting || defaultDrain);
}

function preStopSeconds({ containers }: PodSpec): number {
  const seconds = containers.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0);
  return Math.max(0, ...seconds);
}

function broken<Subject>(name: string, rules: Rules<Subject>, subject: Subject): string[] {
  return Object.entries(rules)
    .filter(([, holds]) => !holds(subject))
    .map(([what]) => `${name}: not: ${what}`);
}

/** Returns a sentence for each rule that a Deployment or Job breaks. */
export function workloadFaults(manifests: readonly Manifest[]): string[] {
  return workloadsOf(manifests).flatMap(({ kind, metadata, spec }) => {
    const name = `${kind} ${metadata.name}`;
    const pod = spec.template.spec;
    return [
      ...broken(name, podRules, pod),
      ...(kind === 'Deployment' ? broken(name, deploymentRules, spec) : []),
      ...pod.containers.flatMap((container) => [
        ...broken(name, containerRules, container),
        ...(container.name === 'api' ? broken(name, apiRules, container) : []),
      ]),
    ];
  });
}

/** Returns a sentence for each object that the setup needs and that Helm would create only after it. */
export function hookFaults(manifests: readonly Manifest[]): string[] {
  const weightOf = ({ metadata }: Manifest): number =>
    Number(metadata.annotations?.['helm.sh/hook-weight'] ?? Number.NaN);
  const setup = manifests.find(({ kind }) => kind === 'Job');
  if (setup === undefined) return [];
  const hooks = setup.metadata.annotations?.['helm.sh/hook']?.split(',') ?? [];
  const faults = ['pre-install', 'pre-upgrade']
    .filter((hook) => !hooks.includes(hook))
    .map((hook) => `the setup is no hook ${hook}`);
  const { containers } = (setup.spec as WorkloadSpec).template.spec;
  const needed = containers.flatMap(
    (container) =>
      (container as { envFrom?: { secretRef: { name: string } }[] }).envFrom?.map(
        ({ secretRef }) => secretRef.name,
      ) ?? [],
  );
  const late = manifests.filter(
    (manifest) =>
      manifest.kind === 'Secret' &&
      needed.includes(manifest.metadata.name) &&
      !(weightOf(manifest) < weightOf(setup)),
  );
  return [
    ...faults,
    ...late.map(({ metadata }) => `Secret ${metadata.name} is made after the setup`),
  ];
}
