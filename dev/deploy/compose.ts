// Brings docker-compose.yml up as it is, and uses the service like its users and operators.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import { Disposal } from '../../lib/platform/disposal.ts';
import { pickPorts } from '../servers/free-port.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';
import { describeLoad, Integrator, readApp } from './deliveries.ts';
import type { Engine } from './engine/engine.ts';
import { timed } from './timed.ts';

const file = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url));
const project = 'herald-deploy-test';
const timeoutMs = 5 * 60_000;
const upgraded = 'dev.agent-herald.upgraded';

type Say = (line: string) => void;

interface ServiceState {
  readonly Service: string;
  readonly ExitCode: number;
  readonly Health: string;
}

/** The project, with settings of its own. */
class Project {
  readonly #engine: Engine;
  readonly #options: readonly string[];

  constructor(engine: Engine, envFile: string) {
    this.#engine = engine;
    this.#options = ['--project-name', project, '--file', file, '--env-file', envFile];
  }

  run(...args: readonly string[]): Promise<string> {
    return this.#engine.compose([...this.#options, ...args], { timeoutMs });
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
    return printed
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as ServiceState);
  }

  /** Returns what the project has left on the engine. */
  async remains(): Promise<string[]> {
    const label = `label=com.docker.compose.project=${project}`;
    const lists = [
      ['container', 'ls', '--all'],
      ['volume', 'ls'],
      ['network', 'ls'],
    ];
    const printed = await Promise.all(
      lists.map((list) =>
        this.#engine.docker([...list, '--quiet', '--filter', label], { timeoutMs }),
      ),
    );
    return printed.flatMap((lines) => lines.split('\n').filter((line) => line !== ''));
  }
}

/** Checks the compose file with the image `tag`. Throws at the first thing that does not work. */
export async function checkCompose(engine: Engine, tag: string, say: Say): Promise<void> {
  await using open = new Disposal();
  const folder = await mkdtemp(join(tmpdir(), 'herald-compose-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const [apiPort = 0, uiPort = 0] = await pickPorts([0, 0]);
  const envFile = join(folder, 'env');
  await writeFile(envFile, settingsFor(engine, { apiPort, uiPort }));
  const composed = new Project(engine, envFile);
  // A killed run leaves its containers behind.
  const down = async () =>
    void (await composed.run('down', '--volumes', '--remove-orphans', '--timeout', '15'));
  await down();
  open.defer(down);
  const apiUrl = `http://${engine.publishAddress}:${apiPort}`;
  await useService({ engine, composed, tag, apiUrl, say }).catch(async (error: unknown) => {
    say(await composed.logsOfFailed());
    throw error;
  });
  await down();
  const remains = await composed.remains();
  if (remains.length > 0) throw new Error(`left behind: ${remains.join(', ')}`);
}

interface Use {
  readonly engine: Engine;
  readonly composed: Project;
  readonly tag: string;
  readonly apiUrl: string;
  readonly say: Say;
}

async function useService({ engine, composed, tag, apiUrl, say }: Use): Promise<void> {
  await using open = new Disposal();
  await timed(say, 'compose: up and healthy', () => composed.up());
  const app = await makeApp(composed);
  const integrator = open.use(new Integrator({ apiUrl, hostAddress: engine.hostAddress, ...app }));
  await integrator.begin();
  const { eventId, tookMs } = await integrator.change();
  say(`compose: a verified delivery ${Math.round(tookMs)} ms after the change was accepted`);
  await expectHistory(composed, eventId);
  const restarted = await integrator.underLoad(async () => {
    await composed.run('restart', 'api', 'worker');
    await composed.up();
  });
  say(`compose: restarted api and worker ${describeLoad(restarted)}`);
  await relabel(engine, tag, open);
  const upgrade = await integrator.underLoad(() => composed.up());
  say(`compose: upgraded to another image ${describeLoad(upgrade)}`);
  await expectUpgraded(engine);
  await integrator.change();
  for (const service of ['api', 'worker'])
    await timed(say, `compose: stop of ${service}`, () => composed.run('stop', service));
  await expectCleanExit(composed);
}

function settingsFor(
  engine: Engine,
  { apiPort, uiPort }: { apiPort: number; uiPort: number },
): string {
  const settings = {
    ...makeDevSecrets(),
    POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
    API_ADDRESS: engine.publishAddress,
    API_PORT: apiPort,
    TEMPORAL_UI_PORT: uiPort,
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: `${engine.hostAddress}/32`,
    HERALD_WEBHOOK_PORTS: 'any',
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

async function makeApp(composed: Project): Promise<{ appUid: string; apiKey: string }> {
  const setup = ['node', '--enable-source-maps', 'dist/cli/setup/main.js', '--app', 'Deploy'];
  const printed = await composed.run('run', '--rm', '-T', 'setup', ...setup);
  return readApp(printed);
}

/** Reads the event's workflow with Temporal's command line, like an operator. */
async function expectHistory(composed: Project, eventId: string): Promise<void> {
  const query = ['workflow', 'list', '--query', `EventIds = "${eventId}"`, '--output', 'json'];
  const printed = await composed.run(
    'run',
    '--rm',
    '-T',
    '--entrypoint',
    'temporal',
    'temporal-namespace',
    ...query,
  );
  if (!printed.includes('"workflowId"'))
    throw new Error(`Temporal lists no workflow of ${eventId}: ${printed}`);
}

/** Gives the tag to another image until the check ends. */
async function relabel(engine: Engine, tag: string, open: Disposal): Promise<void> {
  const kept = `${tag}-before`;
  await engine.docker(['tag', tag, kept], { timeoutMs });
  open.defer(async () => {
    await engine.docker(['tag', kept, tag], { timeoutMs });
    await engine.docker(['rmi', kept], { timeoutMs });
  });
  const folder = await mkdtemp(join(tmpdir(), 'herald-upgrade-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'Dockerfile'), `FROM ${kept}\nLABEL ${upgraded}=true\n`);
  await engine.docker(['build', '-q', '-t', tag, folder], { timeoutMs });
}

async function expectUpgraded(engine: Engine): Promise<void> {
  const filters = [`label=com.docker.compose.project=${project}`, `label=${upgraded}`];
  const format = '{{.Label "com.docker.compose.service"}}';
  const args = ['ps', ...filters.flatMap((filter) => ['--filter', filter]), '--format', format];
  const services = (await engine.docker(args, { timeoutMs })).trim().split('\n').toSorted();
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
