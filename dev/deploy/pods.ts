// Installs the Helm chart on a node of Kubernetes, and uses the service like its users and operators.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { Disposal } from '../../lib/platform/disposal.ts';
import { findBinaries } from '../servers/find-binary.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { runProgram } from '../servers/run-program.ts';
import { startTemporalDevServer } from '../servers/temporal.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';
import { type ClusterNode, pauseImage, startNode } from './cluster/node.ts';
import { describeLoad, Integrator, readApp } from './deliveries.ts';
import type { UnpackedPackages } from './engine/debian-packages.ts';
import type { Engine } from './engine/engine.ts';
import { chart, findHelm } from './helm.ts';
import { timed } from './timed.ts';

const timeoutMs = 10 * 60_000;
const namespace = 'herald';
const release = 'herald';
const image = 'docker.io/library/agent-herald';
const upgradedTag = 'upgraded';
const instance = `--selector=app.kubernetes.io/instance=${release}`;
const objectKinds =
  'all,configmaps,secrets,networkpolicies,poddisruptionbudgets,ingresses,serviceaccounts';

type Say = (line: string) => void;

interface PodOptions {
  readonly engine: Engine;
  readonly packages: UnpackedPackages;
  /** The image of the service on the engine. */
  readonly tag: string;
  readonly say: Say;
}

/** Checks the chart's pods with the image `tag`. Throws at the first thing that does not work. */
export async function checkPods(options: PodOptions): Promise<void> {
  const { engine, packages, say } = options;
  await using open = new Disposal();
  const folder = await mkdtemp(join(tmpdir(), 'herald-pods-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, 'images.tar');
  await makePauseImage(options, folder);
  await engine.docker(['save', '--output', archive, options.tag, pauseImage], { timeoutMs });
  const node = await timed(say, 'pods: a node ready', () =>
    startNode({ open, packages, archives: [archive], progress: say }),
  );
  const values = join(folder, 'values.yaml');
  await writeFile(values, stringify(await valuesFor(node, open)));
  await makeNamespace(node);
  const installed = new Release(await findHelm(say), node, values);
  await useService({ node, installed, say }).catch(async (error: unknown) => {
    say(await installed.describe());
    throw error;
  });
}

/** A pod's first container only has to stay. */
async function makePauseImage({ engine, tag }: PodOptions, folder: string): Promise<void> {
  const dockerfile = `FROM ${tag}\nENTRYPOINT ["sleep", "infinity"]\n`;
  await writeFile(join(folder, 'Dockerfile'), dockerfile);
  await engine.docker(['build', '-q', '-t', pauseImage, folder], { timeoutMs });
}

/** Starts the servers, and returns values with which pods use them. */
async function valuesFor({ hostAddress }: ClusterNode, open: Disposal) {
  const binaries = await findBinaries(['mongod', 'temporal'], { progress: () => undefined });
  const common = { dataDir: null, port: 0, progress: () => undefined };
  const mongodb = open.use(await startMongodb({ ...common, binary: binaries.mongod }));
  const temporal = open.use(
    await startTemporalDevServer({
      ...common,
      binary: binaries.temporal,
      uiPort: null,
      namespaces: ['default'],
    }),
  );
  const mongodbPort = await forward(open, hostAddress, new URL(mongodb.uri).port);
  const temporalPort = await forward(open, hostAddress, temporal.address.split(':')[1] ?? '');
  return {
    // Room for the pods of an upgrade beside those before it.
    api: { resources: { requests: { cpu: '100m', memory: '256Mi' } } },
    worker: { resources: { requests: { cpu: '100m', memory: '256Mi' } } },
    image: { repository: image },
    settings: {
      HERALD_PUBLIC_URL: 'https://agents.example.com',
      HERALD_ALLOW_HTTP_WEBHOOKS: true,
      HERALD_ALLOW_CIDRS: `${hostAddress}/32`,
      HERALD_WEBHOOK_PORTS: 'any',
      TEMPORAL_ADDRESS: `${hostAddress}:${temporalPort}`,
    },
    secrets: {
      values: {
        ...makeDevSecrets(),
        MONGODB_URI: `mongodb://${hostAddress}:${mongodbPort}/?directConnection=true`,
      },
    },
  };
}

/** Leads connections to an address of this machine on to a server that only listens on the loopback address. */
async function forward(open: Disposal, host: string, port: string): Promise<number> {
  const server = createServer((incoming) => {
    const onward = connect(Number(port), '127.0.0.1');
    incoming.pipe(onward).pipe(incoming);
    incoming.on('error', () => onward.destroy());
    onward.on('error', () => incoming.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  open.defer(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

async function makeNamespace({ kubectl }: ClusterNode): Promise<void> {
  await kubectl('create', 'namespace', namespace);
  const level = 'pod-security.kubernetes.io/enforce=restricted';
  await kubectl('label', 'namespace', namespace, level);
  // No pod is accepted before.
  const account = ['--namespace', namespace, 'serviceaccount/default'];
  await kubectl('wait', '--for=create', '--timeout=60s', ...account);
}

/** The installed chart. */
class Release {
  readonly #helm: string;
  readonly #node: ClusterNode;
  readonly #values: string;

  constructor(helm: string, node: ClusterNode, values: string) {
    this.#helm = helm;
    this.#node = node;
    this.#values = values;
  }

  async upgrade(...options: readonly string[]): Promise<void> {
    const values = ['--values', this.#values, ...options];
    await this.#run('upgrade', '--install', '--wait', '--timeout', '5m', release, chart, ...values);
  }

  async uninstall(): Promise<void> {
    await this.#run('uninstall', '--wait', release);
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.#node.kubectl('--namespace', namespace, ...args);
  }

  /** Runs a command in a pod of a role. */
  exec(role: 'api' | 'worker', ...command: readonly string[]): Promise<string> {
    return this.kubectl('exec', `deployment/${release}-agent-herald-${role}`, '--', ...command);
  }

  /** Replaces all pods, as after a change of an existing Secret. */
  async restart(): Promise<void> {
    const deployments = ['api', 'worker'].map(
      (role) => `deployment/${release}-agent-herald-${role}`,
    );
    await this.kubectl('rollout', 'restart', ...deployments);
    for (const each of deployments) await this.kubectl('rollout', 'status', '--timeout=5m', each);
  }

  /** Returns the names of its objects. */
  async objects(kinds = objectKinds): Promise<string[]> {
    const printed = await this.kubectl('get', kinds, instance, '--output=name');
    return printed.split('\n').filter((line) => line !== '' && !line.startsWith('No resources'));
  }

  /** Returns what an operator would look at. */
  async describe(): Promise<string> {
    const logs = ['--all-containers', '--tail=20', '--prefix', '--ignore-errors'];
    const parts = [
      await this.kubectl('get', 'pods', '--output', 'wide'),
      await this.kubectl('get', 'events', '--sort-by=.lastTimestamp'),
      await this.kubectl('logs', instance, ...logs).catch(String),
    ];
    return parts.join('\n');
  }

  #run(...args: readonly string[]): Promise<string> {
    const place = ['--kubeconfig', this.#node.kubeconfig, '--namespace', namespace];
    return runProgram(this.#helm, [...args, ...place], { timeoutMs });
  }
}

interface Use {
  readonly node: ClusterNode;
  readonly installed: Release;
  readonly say: Say;
}

async function useService({ node, installed, say }: Use): Promise<void> {
  await using open = new Disposal();
  await timed(say, 'pods: installed and ready', () => installed.upgrade());
  await expectRestricted(installed);
  const service = `service/${release}-agent-herald-api`;
  const address = await installed.kubectl('get', service, '--output=jsonpath={.spec.clusterIP}');
  const setup = ['node', 'dist/cli/setup/main.js', '--app', 'Deploy'];
  const app = readApp(await installed.exec('worker', ...setup));
  const { hostAddress } = node;
  const integrator = open.use(new Integrator({ apiUrl: `http://${address}`, hostAddress, ...app }));
  await integrator.begin();
  const { tookMs } = await integrator.change();
  say(`pods: a verified delivery ${Math.round(tookMs)} ms after the change was accepted`);
  await node.tagImage(`${image}:0.1.0`, `${image}:${upgradedTag}`);
  const replace = async (what: string, work: () => Promise<void>): Promise<void> => {
    const result = await integrator.underLoad(() => replacePods(installed, work));
    say(`pods: ${what} ${describeLoad(result)}`);
    if (result.refused > 0) throw new Error(`${result.refused} changes were not accepted`);
  };
  await replace('upgraded to another image', () =>
    installed.upgrade('--set', `image.tag=${upgradedTag}`),
  );
  await replace('restarted', () => installed.restart());
  await integrator.change();
  await timed(say, 'pods: uninstalled', () => replacePods(installed, () => installed.uninstall()));
  const left = await installed.objects();
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
}

/** Checks in a pod what no server of Kubernetes asks for. */
async function expectRestricted(installed: Release): Promise<void> {
  for (const role of ['api', 'worker'] as const) {
    const tests =
      '! touch /app/a 2>/dev/null && ! test -e /var/run/secrets/kubernetes.io && echo ok';
    const printed = await installed.exec(role, 'sh', '-c', tests);
    if (printed.trim() !== 'ok')
      throw new Error(`a pod of ${role} can write to its image, or has a token of the cluster`);
  }
}

/** Does the work, and waits until all pods of before are gone. */
async function replacePods(installed: Release, work: () => Promise<void>): Promise<void> {
  const pods = await installed.objects('pods');
  await work();
  await installed.kubectl('wait', '--for=delete', '--timeout=120s', ...pods);
}
