// What every pod of the chart must have. Pure: rendered manifests in, sentences out.
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

interface Rule<Subject> {
  readonly what: string;
  readonly holds: (subject: Subject) => boolean;
}

const podRules: readonly Rule<PodSpec>[] = [
  { what: 'runs as a user other than root', holds: (pod) => !!pod.securityContext?.runAsNonRoot },
  {
    what: "has the runtime's seccomp profile",
    holds: (pod) => pod.securityContext?.seccompProfile?.type === 'RuntimeDefault',
  },
  {
    what: 'gets no token of the cluster',
    holds: (pod) => pod.automountServiceAccountToken === false,
  },
  {
    what: 'ends on a signal while it starts',
    holds: (pod) => pod.shareProcessNamespace === true,
  },
  {
    what: "has name servers, its own or the cluster's",
    holds: (pod) => (pod.dnsPolicy === 'None') === !!pod.dnsConfig?.nameservers?.length,
  },
];

const containerRules: readonly Rule<Container>[] = [
  {
    what: 'cannot get more privileges',
    holds: ({ securityContext }) => securityContext?.allowPrivilegeEscalation === false,
  },
  {
    what: 'cannot write to its image',
    holds: ({ securityContext }) => securityContext?.readOnlyRootFilesystem === true,
  },
  {
    what: 'has no capabilities',
    holds: ({ securityContext }) => !!securityContext?.capabilities?.drop?.includes('ALL'),
  },
  {
    what: 'requests processor time and memory',
    holds: ({ resources }) => !!resources?.requests?.['cpu'] && !!resources.requests['memory'],
  },
  { what: 'has a limit of memory', holds: ({ resources }) => !!resources?.limits?.['memory'] },
  {
    what: 'has an image with a tag or digest',
    holds: ({ image }) =>
      /(?:@sha256:[0-9a-f]{64}|:[\w.-]+)$/.test(image) && !image.endsWith(':latest'),
  },
];

const deploymentRules: readonly Rule<WorkloadSpec>[] = [
  {
    what: 'is never short of a pod in a rollout',
    holds: ({ strategy }) => strategy?.rollingUpdate?.maxUnavailable === 0,
  },
  {
    what: 'gives its pods the time of a stop',
    holds: ({ template: { spec } }) =>
      (spec.terminationGracePeriodSeconds ?? 0) * 1_000 >=
      preStopSeconds(spec) * 1_000 + drainMs(spec) + processLimits.stopTimeoutMs + spareMs,
  },
];

const apiRules: readonly Rule<Container>[] = [
  ...(['startupProbe', 'livenessProbe'] as const).map((probe) => ({
    what: `asks /healthz as its ${probe}`,
    holds: (container: Container) => container[probe]?.httpGet?.path === '/healthz',
  })),
  {
    what: 'has a readinessProbe',
    holds: ({ readinessProbe }) =>
      /^\/(?:healthz|readyz)$/.test(readinessProbe?.httpGet?.path ?? ''),
  },
  {
    what: 'goes on for a while after its pod is to stop',
    holds: ({ lifecycle }) => (lifecycle?.preStop?.sleep?.seconds ?? 0) > 0,
  },
];

/** Only the api drains. */
function drainMs({ containers }: PodSpec): number {
  const { env = [] } = containers.find(({ name }) => name === 'api') ?? {};
  const setting = env.find(({ name }) => name === 'HERALD_DRAIN_FOR')?.value;
  return parseDurationMs(setting || defaultDrain);
}

function preStopSeconds({ containers }: PodSpec): number {
  const seconds = containers.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0);
  return Math.max(0, ...seconds);
}

function broken<Subject>(
  name: string,
  rules: readonly Rule<Subject>[],
  subject: Subject,
): string[] {
  return rules.filter(({ holds }) => !holds(subject)).map(({ what }) => `${name}: not: ${what}`);
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

/** Returns a sentence for each thing that the setup needs and that Helm would make after it. */
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
