// Brings docker-compose.yml up as it is, and uses the service like its users and operators.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import { Disposal } from '../../lib/platform/disposal.ts';
import { pickPorts } from '../servers/free-port.ts';
import { print, timed } from '../servers/print.ts';
import { makeTemporaryFolder } from '../servers/temporary-folder.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';
import { Integrator } from './deliveries.ts';
import { docker, hostAddress } from './engine.ts';

const file = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url));
const project = 'herald-deploy-test';
const timeoutMs = 5 * 60_000;
const upgraded = 'dev.agent-herald.upgraded';

interface ServiceState {
  readonly Service: string;
  readonly ExitCode: number;
  readonly Health: string;
}

/** The project, with settings of its own. */
class Project {
  readonly #options: readonly string[];

  constructor(envFile: string) {
    this.#options = ['--project-name', project, '--file', file, '--env-file', envFile];
  }

  run(...args: readonly string[]): Promise<string> {
    return docker(['compose', ...this.#options, ...args], timeoutMs);
  }

  async up(): Promise<void> {
    await this.run('up', '--detach', '--no-build', '--wait');
  }

  /** Returns the ends of the logs of the services that failed, or of all. */
  async logsOfFailed(): Promise<string> {
    const failed = (await this.states())
      .filter(({ ExitCode, Health }) => ExitCode !== 0 || Health === 'unhealthy')
      .map(({ Service }) => Service);
    return this.run('logs', '--no-color', '--tail', '20', ...failed);
  }

  async states(): Promise<ServiceState[]> {
    const printed = await this.run('ps', '--all', '--format', 'json');
    const lines = linesOf(printed).filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as ServiceState);
  }
}

const linesOf = (printed: string): string[] => printed.split('\n').filter((line) => line !== '');

/** Returns what the project has left on the engine. */
async function remains(): Promise<string[]> {
  const label = `label=com.docker.compose.project=${project}`;
  const lists = [
    ['container', 'ls', '--all'],
    ['volume', 'ls'],
    ['network', 'ls'],
  ];
  const printed = await Promise.all(
    lists.map((list) => docker([...list, '--quiet', '--filter', label])),
  );
  return printed.flatMap(linesOf);
}

/** Checks the compose file with the image `tag`. Throws at the first thing that does not work. */
export async function checkCompose(tag: string): Promise<void> {
  await using open = new Disposal();
  const folder = await makeTemporaryFolder(open, 'compose');
  const [apiPort = 0, uiPort = 0] = await pickPorts([0, 0]);
  const host = await hostAddress();
  const envFile = join(folder, 'env');
  await writeFile(envFile, settingsFor(host, { apiPort, uiPort }));
  const composed = new Project(envFile);
  // A killed run leaves its containers behind.
  const down = async () =>
    void (await composed.run('down', '--volumes', '--remove-orphans', '--timeout', '15'));
  await down();
  open.defer(down);
  const use = { composed, tag, apiUrl: `http://127.0.0.1:${apiPort}`, hostAddress: host };
  await useService(use).catch(async (error: unknown) => {
    print(await composed.logsOfFailed());
    throw error;
  });
  await down();
  const left = await remains();
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
}

interface Use {
  readonly composed: Project;
  readonly tag: string;
  readonly apiUrl: string;
  readonly hostAddress: string;
}

async function useService({ composed, tag, ...addresses }: Use): Promise<void> {
  await using open = new Disposal();
  await timed('compose: up and healthy', () => composed.up());
  const app = await makeApp(composed);
  const integrator = open.use(new Integrator({ ...addresses, ...app }));
  await integrator.begin();
  const { eventId, tookMs } = await integrator.change();
  print(`compose: a verified delivery ${Math.round(tookMs)} ms after the change was accepted`);
  await expectHistory(composed, eventId);
  const restarted = await integrator.underLoad(async () => {
    await composed.run('restart', 'api', 'worker');
    await composed.up();
  });
  print(`compose: restarted api and worker ${restarted}`);
  await relabel(tag, open);
  const upgrade = await integrator.underLoad(() => composed.up());
  print(`compose: upgraded to another image ${upgrade}`);
  await expectUpgraded();
  await integrator.change();
  for (const service of ['api', 'worker'])
    await timed(`compose: stop of ${service}`, () => composed.run('stop', service));
  await expectCleanExit(composed);
}

function settingsFor(host: string, ports: { apiPort: number; uiPort: number }): string {
  const settings = {
    ...makeDevSecrets(),
    POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
    API_PORT: ports.apiPort,
    TEMPORAL_UI_PORT: ports.uiPort,
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: `${host}/32`,
    HERALD_WEBHOOK_PORTS: 'any',
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Makes an application, and reads its key from what the setup prints. */
async function makeApp(composed: Project): Promise<{ appUid: string; apiKey: string }> {
  const setup = ['node', '--enable-source-maps', 'dist/cli/setup/main.js', '--app', 'Deploy'];
  const printed = await composed.run('run', '--rm', '-T', 'setup', ...setup);
  const [, appUid] = /^app uid +(\S+)$/m.exec(printed) ?? [];
  const [, apiKey] = /^API key +(\S+)$/m.exec(printed) ?? [];
  if (appUid === undefined || apiKey === undefined) throw new Error(`no key in: ${printed}`);
  return { appUid, apiKey };
}

/** Reads the event's workflow with Temporal's command line, like an operator. */
async function expectHistory(composed: Project, eventId: string): Promise<void> {
  const run = ['run', '--rm', '-T', '--entrypoint', 'temporal', 'temporal-namespace'];
  const query = ['workflow', 'list', '--query', `EventIds = "${eventId}"`, '--output', 'json'];
  const printed = await composed.run(...run, ...query);
  if (!printed.includes('"workflowId"'))
    throw new Error(`Temporal lists no workflow of ${eventId}: ${printed}`);
}

/** Gives the tag to another image until the check ends. */
async function relabel(tag: string, open: Disposal): Promise<void> {
  const kept = `${tag}-before`;
  await docker(['tag', tag, kept]);
  open.defer(async () => {
    await docker(['tag', kept, tag]);
    await docker(['rmi', kept]);
  });
  const folder = await makeTemporaryFolder(open, 'upgrade');
  await writeFile(join(folder, 'Dockerfile'), `FROM ${kept}\nLABEL ${upgraded}=true\n`);
  await docker(['build', '-q', '-t', tag, folder], timeoutMs);
}

async function expectUpgraded(): Promise<void> {
  const filters = [`label=com.docker.compose.project=${project}`, `label=${upgraded}`];
  const format = '{{.Label "com.docker.compose.service"}}';
  const args = ['ps', ...filters.flatMap((filter) => ['--filter', filter]), '--format', format];
  const services = linesOf(await docker(args)).toSorted();
  if (services.join() !== 'api,worker')
    throw new Error(`the other image is run by ${services.join(', ') || 'no service'}`);
}

async function expectCleanExit(composed: Project): Promise<void> {
  const stopped = (await composed.states()).filter(({ Service }) =>
    /^(?:api|worker)$/.test(Service),
  );
  const codes = stopped.map(({ ExitCode }) => ExitCode);
  if (codes.length !== 2 || codes.some((code) => code !== 0))
    throw new Error(`api and worker ended with ${codes.join(' and ')}`);
}
