// Finds helm, or builds it with Go, and runs it on the chart.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOnPath, isExecutable, serversCacheDir } from '../servers/find-binary.ts';
import { cachedPath, inStaging } from '../servers/install-binary.ts';
import { reasonOf, runProgram } from '../servers/run-program.ts';

const helmVersion = '3.22.0';
const goPackage = `helm.sh/helm/v3/cmd/helm@v${helmVersion}`;
const buildTimeoutMs = 30 * 60_000;
const runTimeoutMs = 60_000;

export const chart = fileURLToPath(
  new URL('../../deploy/kubernetes/agent-herald', import.meta.url),
);

/** Returns the path of the program. Throws one sentence when there is none and Go cannot build it. */
export async function findHelm(progress: (line: string) => void): Promise<string> {
  const onPath = await findOnPath('helm', process.env);
  if (onPath !== undefined) return onPath;
  const cacheDir = serversCacheDir(process.env);
  const target = cachedPath(cacheDir, 'helm', helmVersion);
  if (await isExecutable(target)) return target;
  progress(`helm: not on PATH; building ${helmVersion} with Go, which takes minutes, once`);
  return inStaging(cacheDir, async (staging) => {
    const env = { ...process.env, GOBIN: staging, CGO_ENABLED: '0' };
    const args = ['install', '-ldflags=-s -w', goPackage];
    await runProgram('go', args, { timeoutMs: buildTimeoutMs, env }).catch((error) => {
      const message = `helm is not on PATH and could not be built: ${reasonOf(error)}`;
      throw new Error(message, { cause: error });
    });
    await rename(join(staging, 'helm'), target);
    return target;
  });
}

/** Throws with its last line when the chart or the values are not as Helm wants them. */
export async function lintChart(helm: string, values: string): Promise<void> {
  await run(helm, ['lint', '--strict', '--quiet', chart, '--values', values]);
}

/** Returns what would be sent to a cluster of that version. Throws with Helm's reason. */
export async function renderChart(
  helm: string,
  { values, kubernetes, set = [] }: { values: string; kubernetes: string; set?: readonly string[] },
): Promise<string> {
  const options = ['--values', values, ...set.flatMap((each) => ['--set', each])];
  const command = ['template', 'herald', chart, '--namespace', 'herald'];
  return run(helm, [...command, '--kube-version', kubernetes, ...options]);
}

async function run(helm: string, args: readonly string[]): Promise<string> {
  return runProgram(helm, args, { timeoutMs: runTimeoutMs });
}
