// Renders the Helm chart with several values, and lets an API server of Kubernetes judge the manifests.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disposal } from '../../lib/platform/disposal.ts';
import { builtWithGo, findOrInstall } from '../servers/find-or-install.ts';
import { goModule } from '../servers/go-module.ts';
import { reasonOf, runProgram } from '../servers/run-program.ts';
import { type ChartCase, chartCases, refusedCases } from './chart-cases.ts';
import { settingFaults } from './check-settings.ts';
import { deploymentFaults } from './check-workloads.ts';
import { type ControlPlane, startControlPlane, thisMachine } from './cluster/control-plane.ts';
import { kubernetesVersion } from './cluster/programs.ts';
import { chart, findHelm, lintChart, renderChart } from './helm.ts';
import { type Manifest, parseManifests } from './manifests.ts';
import { allowsEgress } from './network-policy.ts';

const timeoutMs = 60_000;
/** The oldest version that the chart supports. */
const oldestVersion = '1.30';
const validator = { name: 'kubectl-validate', version: '0.0.4' };
/** The modules that have the schemas of other kinds, as old as the chart supports. */
const customResources = [
  ['github.com/kedacore/keda/v2@v2.17.2', 'config/crd/bases'],
  ['github.com/prometheus-operator/prometheus-operator@v0.83.0', 'example/prometheus-operator-crd'],
] as const;
const namespace = 'herald';
/** Values with which the chart renders what Kubernetes refuses: they show that it judges. */
const unacceptable = {
  set: ['worker.resources.requests.memory=2Gi'],
  reason: /must be less than or equal to memory limit/,
};

type Say = (line: string) => void;

interface Tools {
  readonly helm: string;
  readonly validator: string;
  readonly definitions: readonly string[];
  readonly server: ControlPlane;
  readonly folder: string;
  readonly say: Say;
}

/** Throws an error with all faults. */
export async function checkChart(say: Say): Promise<void> {
  await using open = new Disposal();
  const tools = await prepare(open, say);
  const faults = await checkRefusals(tools);
  for (const each of chartCases) {
    const found = await checkCase(tools, each).catch((error) => [reasonOf(error)]);
    faults.push(...found.map((fault) => `${each.name}: ${fault}`));
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

async function prepare(open: Disposal, say: Say): Promise<Tools> {
  const helm = await findHelm(say);
  const { name, version } = validator;
  const validating = builtWithGo(`sigs.k8s.io/kubectl-validate@v${version}`, name);
  const found = await findOrInstall(
    { name, version, ...validating },
    { env: process.env, progress: say },
  );
  const definitions = await Promise.all(
    customResources.map(async ([module, path]) => join(await goModule(module), path)),
  );
  const folder = await mkdtemp(join(tmpdir(), 'herald-chart-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const server = await startControlPlane({ open, place: thisMachine, progress: say });
  await server.kubectl('create', 'namespace', namespace);
  const level = 'pod-security.kubernetes.io/warn=restricted';
  await server.kubectl('label', 'namespace', namespace, level);
  for (const path of definitions)
    // Its definitions are longer than the note that a client's apply leaves.
    await server.kubectl('apply', '--server-side', '--filename', path);
  const names =
    'scaledobjects.keda.sh triggerauthentications.keda.sh podmonitors.monitoring.coreos.com';
  const made = names.split(' ').map((each) => `crd/${each}`);
  await server.kubectl('wait', '--for=condition=Established', '--timeout=60s', ...made);
  return { helm, validator: found, definitions, server, folder, say };
}

async function checkCase(tools: Tools, each: ChartCase): Promise<string[]> {
  const { helm, folder, say } = tools;
  const values = join(chart, 'ci', `${each.name}-values.yaml`);
  await lintChart(helm, values);
  const text = await renderChart(helm, { values, kubernetes: oldestVersion, namespace });
  const file = join(folder, `${each.name}.yaml`);
  await writeFile(file, text);
  const manifests = parseManifests(text);
  say(
    `${each.name}: ${manifests.length} manifests, for Kubernetes ${oldestVersion} and ${kubernetesVersion}`,
  );
  return [
    ...(await oldestFaults(tools, file)),
    ...(await serverFaults(tools, file)),
    ...deploymentFaults(manifests),
    ...settingFaults(manifests),
    ...egressFaults(manifests, each),
  ];
}

/** Asks the schemas of the oldest version, of which no server runs here. */
async function oldestFaults({ validator, definitions }: Tools, file: string): Promise<string[]> {
  const known = definitions.flatMap((path) => ['--local-crds', path]);
  const args = [file, '--version', oldestVersion, ...known];
  return runProgram(validator, args, { timeoutMs }).then(
    () => [],
    (error: unknown) => [`Kubernetes ${oldestVersion}: ${printedBy(error)}`],
  );
}

/** Asks the server, which also warns of what the pod security standard `restricted` forbids. */
async function serverFaults({ server }: Tools, file: string): Promise<string[]> {
  const dryRun = ['--dry-run=server', '--validate=strict', '--namespace', namespace];
  const printed = await server
    .kubectl('apply', ...dryRun, '--filename', file)
    .catch((error: unknown) => printedBy(error));
  return printed.split('\n').filter((line) => line !== '' && !line.endsWith(' (server dry run)'));
}

function printedBy(error: unknown): string {
  const { stdout = '', stderr = '' } = (error as { cause?: Record<string, string> }).cause ?? {};
  return `${stdout}${stderr}`.trim() || reasonOf(error);
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

/** Checks that the chart or the server refuses each of these with its reason. */
async function checkRefusals(tools: Tools): Promise<string[]> {
  const values = join(chart, 'ci', 'minimal-values.yaml');
  const render = (set: readonly string[]) =>
    renderChart(tools.helm, { values, kubernetes: oldestVersion, namespace, set });
  const faults: string[] = [];
  for (const [what, { set, reason }] of Object.entries(refusedCases)) {
    const said = await render(set).then(() => 'it was accepted', printedBy);
    if (!reason.test(said)) faults.push(`${what}: ${said}`);
  }
  const file = join(tools.folder, 'unacceptable.yaml');
  await writeFile(file, await render(unacceptable.set));
  const said = (await serverFaults(tools, file)).join('\n');
  if (!unacceptable.reason.test(said))
    faults.push(`the server accepts ${unacceptable.set.join()}: ${said}`);
  tools.say(`refused: ${Object.keys(refusedCases).length + 1} faulty values`);
  return faults;
}
