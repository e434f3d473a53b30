// What the chart's pods need beyond the schemas of Kubernetes. Pure functions from manifests to sentences.
import { settings } from '../../lib/config/settings.ts';
import { processLimits } from '../../lib/limits.ts';
import { type Manifest, type PodSpec, workloadsOf } from './manifests.ts';

const spareMs = 2_000;

type Rules = Readonly<Record<string, (pod: PodSpec) => boolean>>;

const ofAll: Rules = { 'runs without rights': hasNoRights };
const ofDeployments: Rules = {
  'gives its pods the time of a stop': (pod) =>
    (pod.terminationGracePeriodSeconds ?? 0) * 1_000 >=
    preStopSeconds(pod) * 1_000 + drainMs(pod) + processLimits.stopTimeoutMs + spareMs,
  'restarts no api because MongoDB or Temporal is unavailable': ({ containers }) =>
    containers.every(
      ({ name, livenessProbe }) => name !== 'api' || livenessProbe?.httpGet?.path === '/healthz',
    ),
};

/** Returns a sentence for each rule that a Deployment or Job breaks. */
export function podFaults(manifests: readonly Manifest[]): string[] {
  return workloadsOf(manifests).flatMap(({ kind, metadata, spec }) =>
    Object.entries({ ...ofAll, ...(kind === 'Deployment' ? ofDeployments : {}) })
      .filter(([, holds]) => !holds(spec.template.spec))
      .map(([what]) => `${kind} ${metadata.name}: not: ${what}`),
  );
}

/** Checks the pod security standard `restricted`, the read-only image, and that there is no token of the cluster. */
function hasNoRights({ automountServiceAccountToken, securityContext, containers }: PodSpec) {
  const { runAsNonRoot, seccompProfile } = securityContext ?? {};
  return (
    automountServiceAccountToken === false &&
    runAsNonRoot === true &&
    seccompProfile?.type === 'RuntimeDefault' &&
    containers.every(
      ({ securityContext: own }) =>
        own?.allowPrivilegeEscalation === false &&
        own.readOnlyRootFilesystem === true &&
        own.capabilities?.drop.includes('ALL') === true,
    )
  );
}

/** Returns the drain time. Only the api drains. */
function drainMs({ containers }: PodSpec): number {
  const { env = [] } = containers.find(({ name }) => name === 'api') ?? {};
  const given = env.find(({ name }) => name === 'HERALD_DRAIN_FOR')?.value;
  const { parse, fallback } = settings.HERALD_DRAIN_FOR;
  return given ? parse(given) : fallback;
}

function preStopSeconds({ containers }: PodSpec): number {
  const seconds = containers.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0);
  return Math.max(0, ...seconds);
}
