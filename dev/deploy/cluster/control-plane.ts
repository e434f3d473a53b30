// A Kubernetes API server with its store, for as long as a check runs.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { pickPorts } from '../../servers/free-port.ts';
import { startGuarded } from '../../servers/guarded-process.ts';
import { runProgram } from '../../servers/run-program.ts';
import { startTimeoutMs, waitUntilReady } from '../../servers/wait-until-ready.ts';
import { findKubernetes } from './programs.ts';

const timeoutMs = 10 * 60_000;
export const serviceRange = '10.213.48.0/24';

/** Where the programs run. */
export interface Place {
  /** The address that they listen on. */
  readonly address: string;
  /** Returns the command that runs another one there. */
  readonly enter: (command: readonly string[]) => { binary: string; args: string[] };
}

export const thisMachine: Place = {
  address: '127.0.0.1',
  enter: ([binary = '', ...args]) => ({ binary, args }),
};

interface ControlPlaneOptions {
  readonly open: Disposal;
  readonly place: Place;
  readonly progress: (line: string) => void;
}

/** A running API server, as its admin. */
export interface ControlPlane {
  /** The folder of its data and logs. It is removed at the end. */
  readonly folder: string;
  /** The file with its address and the admin's token. */
  readonly kubeconfig: string;
  /** Runs kubectl and returns what it printed. Throws with its last line. */
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
}

/** Starts etcd and the API server. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { open, place, progress } = options;
  const folder = await mkdtemp(join(tmpdir(), 'herald-kubernetes-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const [port = 0, storePort = 0, peerPort = 0] = await pickPorts([0, 0, 0]);
  const storeUrl = `http://${place.address}:${storePort}`;
  await startStore({
    ...options,
    folder,
    storeUrl,
    peerUrl: `http://${place.address}:${peerPort}`,
  });
  const server = await startServer({ ...options, folder, storeUrl, port });
  const kubectl = await findKubernetes('kubectl', progress);
  const run = (...args: readonly string[]) =>
    runProgram(kubectl, ['--kubeconfig', server.kubeconfig, ...args], { timeoutMs });
  await waitUntilReady(server.process, {
    check: async () => (await run('get', '--raw', '/readyz')) === 'ok' || undefined,
    timeoutMs: startTimeoutMs,
  });
  return { folder, kubeconfig: server.kubeconfig, kubectl: run };
}

interface StoreOptions extends ControlPlaneOptions {
  readonly folder: string;
  readonly storeUrl: string;
  readonly peerUrl: string;
}

async function startStore({ open, place, progress, folder, storeUrl, peerUrl }: StoreOptions) {
  const settings = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': storeUrl,
    'advertise-client-urls': storeUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `default=${peerUrl}`,
    'unsafe-no-fsync': 'true',
  };
  const command = [await findKubernetes('etcd', progress), ...flags(settings)];
  const store = await startGuarded({
    name: 'etcd',
    ...place.enter(command),
    logFile: join(folder, 'etcd.log'),
  });
  open.defer(() => store.stop());
}

interface ServerOptions extends ControlPlaneOptions {
  readonly folder: string;
  readonly storeUrl: string;
  readonly port: number;
}

async function startServer({ open, place, progress, folder, storeUrl, port }: ServerOptions) {
  const token = randomBytes(32).toString('hex');
  const key = join(folder, 'service-accounts.pem');
  const tokens = join(folder, 'tokens.csv');
  await writeFile(key, newKey(), { mode: 0o600 });
  await writeFile(tokens, `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  const settings = {
    'etcd-servers': storeUrl,
    'bind-address': place.address,
    'secure-port': String(port),
    'cert-dir': join(folder, 'certificates'),
    'token-auth-file': tokens,
    'authorization-mode': 'RBAC',
    'service-cluster-ip-range': serviceRange,
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': key,
    'service-account-signing-key-file': key,
    'kubelet-preferred-address-types': 'InternalIP',
  };
  const command = [await findKubernetes('kube-apiserver', progress), ...flags(settings)];
  const process = await startGuarded({
    name: 'kube-apiserver',
    ...place.enter(command),
    logFile: join(folder, 'kube-apiserver.log'),
  });
  open.defer(() => process.stop());
  const kubeconfig = join(folder, 'kubeconfig');
  const config = kubeconfigOf(`https://${place.address}:${port}`, token);
  await writeFile(kubeconfig, stringify(config), { mode: 0o600 });
  return { process, kubeconfig };
}

/** Returns the options of a program of Kubernetes. */
export function flags(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function kubeconfigOf(server: string, token: string) {
  // The server makes its certificate when it starts.
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace: 'default' } }],
    'current-context': 'test',
  };
}
