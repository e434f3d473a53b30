// Finds Helm, or builds it with Go, and runs it on the chart.
import { fileURLToPath } from 'node:url';
import { builtWithGo, findOrInstall } from '../servers/find-or-install.ts';
import { runProgram } from '../servers/run-program.ts';

const helmVersion = '3.22.0';
const timeoutMs = 60_000;
const chart = fileURLToPath(new URL('../../deploy/kubernetes/agent-herald', import.meta.url));

/** Returns the path of a values file in the chart's `ci/`. */
export function valuesOf(name: string): string {
  return `${chart}/ci/${name}-values.yaml`;
}

/** Returns the path of the executable. Throws one sentence if there is none and Go cannot build it. */
export function findHelm(progress: (line: string) => void): Promise<string> {
  const building = builtWithGo(`helm.sh/helm/v3/cmd/helm@v${helmVersion}`, 'helm');
  const wanted = { name: 'helm', version: helmVersion, ...building };
  return findOrInstall(wanted, { env: process.env, progress });
}

/** Throws Helm's last line if the chart or the values are invalid. */
export async function lintChart(helm: string, values: string): Promise<void> {
  await runProgram(helm, ['lint', '--strict', '--quiet', chart, '--values', values], { timeoutMs });
}

interface RenderOptions {
  readonly values: string;
  readonly kubernetes: string;
  /** Values in addition. */
  readonly set?: readonly string[];
}

/** Returns the manifests for a cluster of that version. Throws with Helm's reason. */
export async function renderChart(
  helm: string,
  { values, kubernetes, set = [] }: RenderOptions,
): Promise<string> {
  const options = ['--values', values, ...set.flatMap((each) => ['--set', each])];
  const command = ['template', 'herald', chart, '--namespace', 'herald'];
  return runProgram(helm, [...command, '--kube-version', kubernetes, ...options], { timeoutMs });
}
