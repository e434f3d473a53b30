// Renders the Helm chart with several values and checks the result, without a cluster.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareEnvironment, programOf, pythonNeeds, pythonProbe } from '../python/environment.ts';
import { canRun, reasonOf } from '../servers/run-program.ts';
import { type ChartCase, chartCases, refusedCases } from './charts.ts';
import { settingFaults } from './check-settings.ts';
import { hookFaults, workloadFaults } from './check-workloads.ts';
import { chart, findHelm, lintChart, renderChart } from './helm.ts';
import { type Manifest, parseManifests } from './manifests.ts';
import { allowsEgress, exceptFaults } from './network-policy.ts';

const environment = 'deploy';
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** The oldest version that the chart supports, and the newest whose schemas are available. */
const kubernetesVersions = ['1.30', '1.37'] as const;

interface Tools {
  readonly helm: string;
  readonly say: (line: string) => void;
}

/** Returns a sentence for each manifest that violates its schema. */
function schemaFaults(text: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const python = programOf(environment, 'python');
    const child = execFile(
      python,
      [fileOf('schemas.py'), ...kubernetesVersions],
      (error, stdout) => {
        if (error) reject(error);
        else resolve(stdout.split('\n').filter((line) => line !== ''));
      },
    );
    child.stdin?.end(text);
  });
}

function egressFaults(manifests: readonly Manifest[], { allowed, denied }: ChartCase): string[] {
  const verdicts = [
    { table: allowed, expected: true, word: 'may not' },
    { table: denied, expected: false, word: 'may' },
  ];
  return verdicts.flatMap(({ table, expected, word }) =>
    Object.entries(table).flatMap(([role, targets]) => {
      const labels = labelsOf(manifests, role);
      return targets
        .filter((target) => allowsEgress(manifests, labels, target) !== expected)
        .map((target) => `${role} ${word} connect to ${JSON.stringify(target)}`);
    }),
  );
}

function labelsOf(manifests: readonly Manifest[], role: string): Readonly<Record<string, string>> {
  const labels = manifests.find(({ kind, metadata }) => {
    return kind !== 'Secret' && metadata.labels?.['app.kubernetes.io/component'] === role;
  })?.metadata.labels;
  if (labels === undefined) throw new Error(`the chart has no ${role}`);
  return labels;
}

async function checkCase({ helm, say }: Tools, each: ChartCase): Promise<string[]> {
  const values = join(chart, 'ci', `${each.name}-values.yaml`);
  await lintChart(helm, values);
  const text = await renderChart(helm, { values, kubernetes: kubernetesVersions[0] });
  const manifests = parseManifests(text);
  say(`${each.name}: ${manifests.length} manifests`);
  const faults = [
    ...(await schemaFaults(text)),
    ...workloadFaults(manifests),
    ...hookFaults(manifests),
    ...settingFaults(manifests),
    ...exceptFaults(manifests),
    ...egressFaults(manifests, each),
  ];
  return faults.map((fault) => `${each.name}: ${fault}`);
}

/** Checks that the chart rejects each of these with its reason. */
async function checkRefusals({ helm, say }: Tools): Promise<string[]> {
  const values = join(chart, 'ci', 'minimal-values.yaml');
  const faults: string[] = [];
  for (const [what, { set, reason }] of Object.entries(refusedCases)) {
    const said = await renderChart(helm, { values, kubernetes: kubernetesVersions[0], set }).then(
      () => 'it was accepted',
      (error: unknown) => String((error as { cause?: { stderr?: string } }).cause?.stderr),
    );
    if (!reason.test(said)) faults.push(`${what}: ${said}`);
  }
  say(`refused: ${Object.keys(refusedCases).length} faulty values`);
  return faults;
}

/** Throws an error with all faults. */
export async function checkChart(say: (line: string) => void): Promise<void> {
  if (!(await canRun(pythonProbe))) return say(`chart: skipped: ${pythonNeeds} is missing`);
  const tools = { helm: await findHelm(say), say };
  await prepareEnvironment(environment, fileOf('requirements.txt'));
  const faults = await checkRefusals(tools);
  for (const each of chartCases) {
    const found = await checkCase(tools, each).catch((error) => [
      `${each.name}: ${reasonOf(error)}`,
    ]);
    faults.push(...found);
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}
