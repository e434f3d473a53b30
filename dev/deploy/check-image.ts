// Checks that the result of the Dockerfile runs: setup, api and worker, in a read-only folder.
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disposal } from '../../lib/platform/disposal.ts';
import { findBinaries } from '../servers/find-binary.ts';
import { pickPorts } from '../servers/free-port.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { runProgram } from '../servers/run-program.ts';
import { startTemporalDevServer } from '../servers/temporal.ts';
import { superviseChild } from '../start/child-process.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';
import { buildImage } from './build-image.ts';

type Say = (line: string) => void;
type Env = Readonly<Record<string, string>>;

const setupTimeoutMs = 60_000;
const deliveryTimeoutMs = 30_000;
// The image's user. Only root can become it. Any other user could write to the files.
const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : undefined;

/** Throws if a step of the build fails, a process does not start, or nothing is delivered. */
export async function checkImage(say: Say): Promise<void> {
  await using open = new Disposal();
  const scratch = await mkdtemp(join(tmpdir(), 'herald-image-'));
  await chmod(scratch, 0o755);
  open.defer(() => rm(scratch, { recursive: true, force: true }));
  const image = await buildImage(scratch, say);
  const [port = 0, metricsPort = 0] = await pickPorts([0, 0]);
  const env: Env = {
    PATH: process.env['PATH'] ?? '',
    ...image.env,
    ...(await startServers(open)),
    PORT: String(port),
  };
  const argsOf = (main: string) => ['--enable-source-maps', join(image.folder, 'dist', main)];
  const setup = [...argsOf('cli/setup/main.js'), '--app', 'Image'];
  const printed = await runProgram(process.execPath, setup, {
    timeoutMs: setupTimeoutMs,
    env,
    user,
  });
  for (const role of ['api', 'worker']) {
    const child = await superviseChild({
      name: role,
      args: argsOf(`${role}/main.js`),
      env: role === 'api' ? env : { ...env, HERALD_METRICS_PORT: String(metricsPort) },
      user,
      logPath: join(scratch, 'logs', `${role}.log`),
      progress: say,
      onStart: () => undefined,
    });
    open.use(child);
  }
  const apiUrl = `http://127.0.0.1:${port}`;
  await expectOk(`${apiUrl}/healthz`, `${apiUrl}/readyz`, `${apiUrl}/console`);
  await expectOk(`http://127.0.0.1:${metricsPort}/metrics`);
  await deliverOne(apiUrl, appIn(printed));
  say('image: delivered');
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
    HERALD_HOST: '127.0.0.1',
    HERALD_ALLOW_HTTP_WEBHOOKS: 'true',
    HERALD_ALLOW_CIDRS: '127.0.0.0/8',
    HERALD_WEBHOOK_PORTS: 'any',
  };
}

function appIn(printed: string): { appUid: string; key: string } {
  const [, appUid] = /^app uid +(\S+)$/m.exec(printed) ?? [];
  const [, key] = /^API key +(\S+)$/m.exec(printed) ?? [];
  if (appUid === undefined || key === undefined) throw new Error(`no key in: ${printed}`);
  return { appUid, key };
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
  const received = once(receiver, 'request', { signal: AbortSignal.timeout(deliveryTimeoutMs) });
  await call('/webhooks', { url: `http://127.0.0.1:${port}/`, entities: ['agent'], active: true });
  await call('/agents', { agentName: 'A', externalTenantId: 't', live: true });
  await received;
  receiver.closeAllConnections();
  receiver.close();
}
