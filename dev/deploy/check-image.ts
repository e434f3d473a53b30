// Whether what the Dockerfile puts together runs: setup, api and worker, in a place that they cannot write to.
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Disposal } from '../../lib/platform/disposal.ts';
import { findBinaries } from '../servers/find-binary.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { startTemporalDevServer } from '../servers/temporal.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';
import { type BuiltImage, buildImage } from './build-image.ts';
import { type ContainedProcess, startContained } from './contained-process.ts';

type Say = (line: string) => void;
type Env = Readonly<Record<string, string>>;

const idleMs = 5_000;
const answerMs = 30_000;
const stopMsMax = 15_000;

/** Throws when a step of the build fails, a process does not start, nothing is delivered, or a stop is no clean one. */
export async function checkImage(say: Say): Promise<void> {
  await using open = new Disposal();
  const scratch = await mkdtemp(join(tmpdir(), 'herald-image-'));
  await chmod(scratch, 0o755);
  open.defer(() => rm(scratch, { recursive: true, force: true }));
  const image = await buildImage(scratch, say);
  const env = { ...image.env, ...(await startServers(open)) };
  const run = (main: string, ...args: string[]): Promise<ContainedProcess> =>
    startContained({
      scratch,
      folder: image.folder,
      command: [process.execPath, '--enable-source-maps', main, ...args],
      env,
    });
  const app = await setUp(await run('dist/cli/setup/main.js', '--app', 'Image'));
  const api = open.use(await run(mainOf(image)));
  const worker = open.use(await run('dist/worker/main.js'));
  const [{ port }, { metricsPort }] = await Promise.all([
    api.logged('process.listening'),
    worker.logged('metrics.listening'),
    worker.logged('process.ready'),
  ]);
  const apiUrl = `http://127.0.0.1:${String(port)}`;
  await expectOk(`${apiUrl}/healthz`, `${apiUrl}/readyz`, `${apiUrl}/console`);
  await expectOk(`http://127.0.0.1:${String(metricsPort)}/metrics`);
  await delay(idleMs);
  say(`image: idle, api ${await api.residentMb()} MB, worker ${await worker.residentMb()} MB`);
  await deliverOne(apiUrl, app);
  say('image: delivered');
  await expectCleanStop({ api, worker });
}

/** Starts MongoDB and Temporal, and returns the settings of the service. */
async function startServers(open: Disposal): Promise<Env> {
  const binaries = await findBinaries(['mongod', 'temporal'], { progress: () => undefined });
  const common = { dataDir: null, port: 0, progress: () => undefined };
  const mongodb = open.use(await startMongodb({ ...common, binary: binaries.mongod }));
  const temporal = open.use(
    await startTemporalDevServer({
      ...common,
      binary: binaries.temporal,
      uiPort: null,
      namespaces: ['herald'],
    }),
  );
  return {
    ...makeDevSecrets(),
    MONGODB_URI: mongodb.uri,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'herald',
    PORT: '0',
    HERALD_METRICS_PORT: '0',
    HERALD_HOST: '127.0.0.1',
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: '127.0.0.0/8',
    HERALD_WEBHOOK_PORTS: 'any',
  };
}

function mainOf({ command }: BuiltImage): string {
  const main = command.at(-1);
  if (main === undefined) throw new Error('the image has no command');
  return main;
}

async function setUp(setup: ContainedProcess): Promise<{ appUid: string; key: string }> {
  const code = await setup.exited;
  const text = setup.lines.join('\n');
  const [, appUid] = /^app uid +(\S+)$/m.exec(text) ?? [];
  const [, key] = /^API key +(\S+)$/m.exec(text) ?? [];
  if (code === 0 && appUid !== undefined && key !== undefined) return { appUid, key };
  throw new Error(`the setup ended with ${code}: ${text}`);
}

async function expectOk(...urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const { status } = await fetch(url);
    if (status !== 200) throw new Error(`${url} answers ${status}`);
  }
}

async function deliverOne(apiUrl: string, app: { appUid: string; key: string }): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const call = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${apiUrl}/api/v1/appuid/${app.appUid}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': app.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path}: ${await response.text()}`);
  };
  const received = once(receiver, 'request', { signal: AbortSignal.timeout(answerMs) });
  await call('/webhooks', { url: `http://127.0.0.1:${port}/`, entities: ['agent'], active: true });
  await call('/agents', { agentName: 'A', externalTenantId: 't', live: true });
  await received;
  receiver.closeAllConnections();
  receiver.close();
}

async function expectCleanStop(processes: Record<string, ContainedProcess>): Promise<void> {
  for (const [name, contained] of Object.entries(processes)) {
    const startedAt = performance.now();
    const code = await contained.stop();
    const tookMs = performance.now() - startedAt;
    if (code !== 0 || tookMs > stopMsMax) {
      throw new Error(`${name} ended with ${code} after ${Math.round(tookMs)} ms`);
    }
  }
}
