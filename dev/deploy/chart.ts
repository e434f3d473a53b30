// Renders the Helm chart with several values, and checks the manifests.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Disposal } from '../../lib/platform/disposal.ts';
import { builtWithGo, findOrInstall, goModule } from '../servers/find-or-install.ts';
import { print } from '../servers/print.ts';
import { reasonOf, runProgram } from '../servers/run-program.ts';
import { makeTemporaryFolder } from '../servers/temporary-folder.ts';
import { type ChartCase, chartCases, refusedCases } from './chart-cases.ts';
import { settingFaults } from './check-settings.ts';
import { podFaults } from './check-workloads.ts';
import { printedBy } from './engine.ts';
import { findHelm, lintChart, renderChart, valuesOf } from './helm.ts';
import { type Manifest, parseManifests } from './manifests.ts';
import { allowsEgress } from './network-policy.ts';

const timeoutMs = 60_000;
/** The oldest version that the chart supports. */
const kubernetes = '1.30';
const validator = { name: 'kubectl-validate', version: '0.0.4' };
/** The modules that have the schemas of other kinds, as old as the chart supports. */
const customResources = [
  ['github.com/kedacore/keda/v2@v2.17.2', 'config/crd/bases'],
  ['github.com/prometheus-operator/prometheus-operator@v0.83.0', 'example/prometheus-operator-crd'],
] as const;

interface Tools {
  readonly helm: string;
  readonly validator: string;
  readonly definitions: readonly string[];
  readonly folder: string;
}

/** Throws an error with all faults. */
export async function checkChart(): Promise<void> {
  await using open = new Disposal();
  const tools = await prepare(open);
  const faults = await checkRefusals(tools);
  for (const each of chartCases) {
    const found = await checkCase(tools, each).catch((error) => [reasonOf(error)]);
    faults.push(...found.map((fault) => `${each.name}: ${fault}`));
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

async function prepare(open: Disposal): Promise<Tools> {
  const helm = await findHelm(print);
  const { name, version } = validator;
  const validating = builtWithGo(`sigs.k8s.io/kubectl-validate@v${version}`, name);
  const found = await findOrInstall(
    { name, version, ...validating },
    { env: process.env, progress: print },
  );
  const definitions = await Promise.all(
    customResources.map(async ([module, path]) => join(await goModule(module), path)),
  );
  const folder = await makeTemporaryFolder(open, 'chart');
  return { helm, validator: found, definitions, folder };
}

async function checkCase(tools: Tools, each: ChartCase): Promise<string[]> {
  const { helm, folder } = tools;
  const values = valuesOf(each.name);
  await lintChart(helm, values);
  const text = await renderChart(helm, { values, kubernetes });
  const file = join(folder, `${each.name}.yaml`);
  await writeFile(file, text);
  const manifests = parseManifests(text);
  print(`${each.name}: ${manifests.length} manifests, for Kubernetes ${kubernetes}`);
  return [
    ...(await schemaFaults(tools, file)),
    ...podFaults(manifests),
    ...settingFaults(manifests),
    ...egressFaults(manifests, each),
  ];
}

async function schemaFaults({ validator, definitions }: Tools, file: string): Promise<string[]> {
  const known = definitions.flatMap((path) => ['--local-crds', path]);
  const args = [file, '--version', kubernetes, ...known];
  return runProgram(validator, args, { timeoutMs }).then(
    () => [],
    (error: unknown) => [`Kubernetes ${kubernetes}: ${printedBy(error) || reasonOf(error)}`],
  );
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

/** Checks that the chart refuses each of these with its reason. */
async function checkRefusals({ helm }: Tools): Promise<string[]> {
  const values = valuesOf('minimal');
  const faults: string[] = [];
  for (const [what, { set, reason }] of Object.entries(refusedCases)) {
    const rendered = renderChart(helm, { values, kubernetes, set });
    const said = await rendered.then(() => 'it was accepted', printedBy);
    if (!reason.test(said)) faults.push(`${what}: ${said}`);
  }
  print(`refused: ${Object.keys(refusedCases).length} faulty values`);
  return faults;
}
