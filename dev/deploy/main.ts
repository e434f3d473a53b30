// `npm run test:deploy`: tries the image and the compose file on a container engine, and the chart on Kubernetes.
import { parseArgs } from 'node:util';
import { Disposal } from '../../lib/platform/disposal.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { serversCacheDir } from '../servers/find-binary.ts';
import { canRun } from '../servers/run-program.ts';
import { checkChart } from './chart.ts';
import { checkCompose } from './compose.ts';
import { unpackEngine } from './engine/debian-packages.ts';
import { findDebian, findEngine, goProbe } from './engine/find-engine.ts';
import { checkImage } from './image.ts';
import { checkPods } from './pods.ts';

const help = `Usage: npm run test:deploy [-- NAME…]

Checks all, or those named:

  chart    the Helm chart in deploy/kubernetes: linted, rendered with each file in its ci/, and the manifests checked
           by an API server of Kubernetes, by the schemas of the oldest version, and by rules of our own. Programs are
           taken from PATH or built with Go, once. Without Go it exits with 77, skipped
  compose  builds the Dockerfile, brings docker-compose.yml up, delivers events while api and worker restart and are
           upgraded, and removes everything. Uses the engine that \`docker info\` shows; on Debian, root gets one from
           its packages, and base images that are made of packages. Without either it exits with 77, skipped
  pods     installs the chart on a node of Kubernetes, delivers events while all pods are upgraded and restarted, and
           uninstalls it. Needs an engine as compose does, and root on Debian

  --help  shows this
`;

const tag = 'agent-herald:0.1.0';
const skipped = 77;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function checkWithServer(): Promise<void> {
  if (!(await canRun(goProbe.split(' '))))
    return skip('chart', 'go, which builds Helm and Kubernetes, is not installed');
  await checkChart(print);
}

async function checkOnEngine(): Promise<void> {
  await using open = new Disposal();
  const engine = await findEngine({ open, progress: print });
  if (typeof engine === 'string') return skip('compose', engine);
  await checkImage(engine, tag, print);
  await checkCompose(engine, tag, print);
}

async function checkOnNode(): Promise<void> {
  await using open = new Disposal();
  const mirror = await findDebian();
  if (typeof mirror === 'string') return skip('pods', `no node can be started: ${mirror}`);
  const engine = await findEngine({ open, progress: print });
  if (typeof engine === 'string') return skip('pods', engine);
  const packages = await unpackEngine(serversCacheDir(process.env), mirror, print);
  await checkImage(engine, tag, print);
  await checkPods({ engine, packages, tag, say: print });
}

function skip(name: string, reason: string): void {
  print(`${name}: skipped: ${reason}`);
  process.exitCode = skipped;
}

const checks: Readonly<Record<string, () => Promise<void>>> = {
  chart: checkWithServer,
  compose: checkOnEngine,
  pods: checkOnNode,
};

function chosenChecks(): [name: string, check: () => Promise<void>][] {
  const { positionals } = parseArgs({ options: {}, allowPositionals: true });
  const unknown = positionals.filter((name) => checks[name] === undefined);
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')} to check`);
  return Object.entries(checks).filter(
    ([name]) => positionals.length === 0 || positionals.includes(name),
  );
}

await runCommand(async () => {
  const failures: string[] = [];
  for (const [name, check] of chosenChecks()) {
    const startedAt = performance.now();
    await check().then(
      () => print(`${name}: ended in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`),
      (error: unknown) =>
        failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`),
    );
  }
  if (failures.length > 0) throw new Error(failures.join('\n'));
}, help);
