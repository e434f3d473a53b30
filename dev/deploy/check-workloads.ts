// What the chart's Deployments need beyond what Kubernetes asks for. Pure functions from manifests to sentences.
import { processLimits } from '../../lib/limits.ts';
import { parseDurationMs } from '../../lib/platform/duration.ts';
import { type Manifest, type PodSpec, workloadsOf } from './manifests.ts';

const defaultDrain = '3s';
const spareMs = 2_000;

const rules: Readonly<Record<string, (pod: PodSpec) => boolean>> = {
  'gives its pods the time of a stop': (pod) =>
    (pod.terminationGracePeriodSeconds ?? 0) * 1_000 >=
    preStopSeconds(pod) * 1_000 + drainMs(pod) + processLimits.stopTimeoutMs + spareMs,
  'restarts no api because MongoDB or Temporal is unavailable': ({ containers }) =>
    containers.every(
      ({ name, livenessProbe }) => name !== 'api' || livenessProbe?.httpGet?.path === '/healthz',
    ),
};

/** Returns a sentence for each rule that a Deployment breaks. */
export function deploymentFaults(manifests: readonly Manifest[]): string[] {
  return workloadsOf(manifests)
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ metadata, spec }) =>
      Object.entries(rules)
        .filter(([, holds]) => !holds(spec.template.spec))
        .map(([what]) => `Deployment ${metadata.name}: not: ${what}`),
    );
}

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
