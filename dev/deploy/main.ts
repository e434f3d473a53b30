// `npm run test:deploy`: checks the Helm chart without a cluster, and the image without Docker.
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { reasonOf } from '../servers/run-program.ts';
import { checkChart } from './check-chart.ts';
import { checkImage } from './check-image.ts';

const help = `Usage: npm run test:deploy [-- NAME…]

Checks both, or those named:

  chart  the Helm chart in deploy/kubernetes: linted, rendered with each file in its ci/, and the manifests checked
         by the schemas of Kubernetes, KEDA and the Prometheus operator, and by rules of our own. helm is taken from
         PATH or built with Go, once; the schemas are Python packages in an environment in .cache
  image  takes the steps of the Dockerfile in a folder, with this Node instead of the image's, and runs setup, api and
         worker of it, for root as a user who cannot write there, until an event is delivered

  --help  shows this
`;

type Check = (say: (line: string) => void) => Promise<void>;

const checks: Readonly<Record<string, Check>> = { chart: checkChart, image: checkImage };

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function chosenChecks(): [name: string, check: Check][] {
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
    await check(print).then(
      () => print(`${name}: ended in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`),
      (error: unknown) => failures.push(`${name}: ${reasonOf(error)}`),
    );
  }
  if (failures.length > 0) throw new Error(failures.join('\n'));
}, help);
