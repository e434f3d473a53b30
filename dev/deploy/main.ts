// `npm run test:deploy`: tries the image and the compose file on a container engine, and checks the Helm chart.
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { print, timed } from '../servers/print.ts';
import { canRun, reasonOf } from '../servers/run-program.ts';
import { checkChart } from './chart.ts';
import { checkCompose } from './compose.ts';
import { missingEngine } from './engine.ts';
import { checkImage } from './image.ts';

const help = `Usage: npm run test:deploy [-- NAME…]

Checks all, or those named:

  chart    the Helm chart in deploy/kubernetes: linted, rendered with each file in its ci/, and the manifests checked
           by the schemas of the oldest version of Kubernetes and by rules of our own. Programs are taken from PATH or
           built with Go, once. Without Go it exits with 77, skipped
  compose  builds the Dockerfile, brings docker-compose.yml up, delivers events while api and worker restart and are
           upgraded, and removes everything. Uses the engine that \`docker info\` shows. Without one it exits with 77,
           skipped

  --help  shows this
`;

const tag = 'agent-herald:0.1.0';
const skipped = 77;

interface Check {
  /** Returns the sentence that says what is missing, or null. */
  readonly missing: () => Promise<string | null>;
  readonly run: () => Promise<void>;
}

const checks: Readonly<Record<string, Check>> = {
  chart: {
    missing: async () =>
      (await canRun(['go', 'version'])) ? null : 'go, which builds Helm, is not installed',
    run: checkChart,
  },
  compose: {
    missing: missingEngine,
    async run() {
      await checkImage(tag);
      await checkCompose(tag);
    },
  },
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
  for (const [name, { missing, run }] of chosenChecks()) {
    const reason = await missing();
    if (reason !== null) {
      print(`${name}: skipped: ${reason}`);
      process.exitCode = skipped;
      continue;
    }
    await timed(`${name}: ended`, run).catch((error: unknown) => {
      failures.push(`${name}: ${reasonOf(error)}`);
    });
  }
  if (failures.length > 0) throw new Error(failures.join('\n'));
}, help);
