// `npm run test:deploy`: checks the Helm chart without a cluster, and the image without Docker.
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { pythonNeeds, pythonProbe } from '../python/environment.ts';
import { canRun, reasonOf } from '../servers/run-program.ts';
import { checkChart } from './check-chart.ts';
import { checkImage } from './check-image.ts';
import { containedProbe } from './contained-process.ts';

const help = `Usage: npm run test:deploy [-- NAME…]

Checks both, or those named:

  chart  the Helm chart in deploy/kubernetes: linted, rendered with each file in its ci/, and the manifests checked
         by the schemas of Kubernetes, KEDA and the Prometheus operator, and by rules of our own. helm is taken from
         PATH or built with Go, once; the schemas are Python packages in an environment in .cache
  image  takes the steps of the Dockerfile in a folder, with this Node instead of the image's, and runs setup, api and
         worker of it as user 1000 on a file system that cannot be written, until an event is delivered

  --help  shows this
`;

interface Check {
  readonly name: string;
  readonly probe: readonly string[];
  readonly needs: string;
  readonly check: (say: (line: string) => void) => Promise<void>;
}

const checks: readonly Check[] = [
  { name: 'chart', probe: pythonProbe, needs: pythonNeeds, check: checkChart },
  { name: 'image', probe: containedProbe, needs: 'root of Linux', check: checkImage },
];

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function chosenChecks(): readonly Check[] {
  const { positionals } = parseArgs({ options: {}, allowPositionals: true });
  const unknown = positionals.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')} to check`);
  return checks.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
}

await runCommand(async () => {
  const failures: string[] = [];
  for (const { name, probe, needs, check } of chosenChecks()) {
    const startedAt = performance.now();
    const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(1);
    if (await canRun(probe)) {
      await check(print).then(
        () => print(`${name}: passed in ${seconds()} s`),
        (error: unknown) => failures.push(`${name}: ${reasonOf(error)}`),
      );
    } else print(`${name}: skipped: ${needs} is missing`);
  }
  if (failures.length > 0) throw new Error(failures.join('\n'));
}, help);
