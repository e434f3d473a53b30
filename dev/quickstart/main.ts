// Runs the commands of README.md and docs/quickstart.md verbatim, in one session in a copy of this checkout: the quick
// start for each installed language.
import { cp, readFile, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Disposal } from '../../lib/platform/disposal.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { pythonNeeds, pythonProbe } from '../python/environment.ts';
import { pickPorts } from '../servers/free-port.ts';
import { print, timed } from '../servers/print.ts';
import { canRun } from '../servers/run-program.ts';
import { makeTemporaryFolder } from '../servers/temporary-folder.ts';
import { readQuickStart, type Section } from './read-quickstart.ts';
import { openShell, type Session, type Shell } from './shell.ts';
import { tryReadme } from './try-readme.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const startTimeoutMs = 180_000;
const installTimeoutMs = 300_000;
const deliveryTimeoutMs = 30_000;
const pollIntervalMs = 100;
// Not copied: installed, generated and runtime files.
const notCopied = ['node_modules', '.git', '.herald', '.cache', '.venv', 'dist'];
const portOfDocument = '4000';

const toolchains: Record<string, { probe: readonly string[]; needs: string }> = {
  Node: { probe: ['node', '--version'], needs: 'node' },
  Python: { probe: pythonProbe, needs: pythonNeeds },
  Go: { probe: ['go', 'version'], needs: 'go' },
};

async function main(): Promise<void> {
  await using open = new Disposal();
  const { start, sections } = readQuickStart(
    await readFile(join(root, 'docs/quickstart.md'), 'utf8'),
  );
  const checkout = await makeTemporaryFolder(open, 'quickstart');
  await copyCheckout(checkout);
  const env = {
    ...process.env,
    MONGODB_URI: '',
    TEMPORAL_ADDRESS: '',
    PORT: '0',
    HERALD_DATA_DIR: '',
    HERALD_SERVERS_CACHE: process.env['HERALD_SERVERS_CACHE'] || join(root, '.cache', 'servers'),
  };
  const service = open.use(openShell(start, { cwd: checkout, env }));
  await service.until('agent-herald is ready', startTimeoutMs);
  const [port = 0] = await pickPorts([0]);
  const session: Session = {
    options: { cwd: checkout, env: process.env },
    port,
    atPort: (commands) => commands.replaceAll(portOfDocument, String(port)),
    asWritten: (text) => text.replaceAll(`:${port}/`, `:${portOfDocument}/`),
  };
  await timed('README', () => tryReadme(join(root, 'README.md'), session));
  for (const section of sections) await runSection(section, session);
}

async function copyCheckout(to: string): Promise<void> {
  const filter = (path: string): boolean => !notCopied.includes(basename(path));
  await cp(root, to, { recursive: true, filter });
  await symlink(join(root, 'node_modules'), join(to, 'node_modules'));
}

async function runSection(section: Section, { options, port, atPort }: Session): Promise<void> {
  const { language, application, change, shown, example } = section;
  const toolchain = toolchains[language];
  if (toolchain === undefined) throw new Error(`no toolchain is known for ${language}`);
  if (!(await canRun(toolchain.probe)))
    return print(`quick start of ${language}: skipped: ${toolchain.needs} is missing`);
  await using second = openShell(atPort(application.join('\n')), options);
  await timed(`quick start of ${language}: "${shown}"`, async () => {
    await untilForgeryIsRefused(
      `http://localhost:${port}/${basename(dirname(example.path))}`,
      second,
    );
    await openShell(change, options).ended;
    await second.until(shown, deliveryTimeoutMs);
  });
}

/** Waits until the application responds: a delivery without a signature gets 401. */
async function untilForgeryIsRefused(url: string, application: Shell): Promise<void> {
  const deadline = performance.now() + installTimeoutMs;
  const ending = new AbortController();
  void application.ended.then(() => ending.abort());
  while (!ending.signal.aborted && performance.now() < deadline) {
    const forged = { method: 'POST', body: '{}' };
    const response = await fetch(url, forged).catch(() => null);
    if (response?.status === 401) return;
    if (response !== null)
      throw new Error(`the application answers ${response.status} to a forgery`);
    await delay(pollIntervalMs);
  }
  throw new Error(`the application does not answer at ${url}:\n${application.output()}`);
}

await runCommand(main);
