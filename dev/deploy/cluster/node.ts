// A node of Kubernetes, with the programs that place pods on it, in a network namespace of its own.
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { startGuarded } from '../../servers/guarded-process.ts';
import { runProgram } from '../../servers/run-program.ts';
import { startTimeoutMs, waitUntilReady } from '../../servers/wait-until-ready.ts';
import type { UnpackedPackages } from '../engine/debian-packages.ts';
import { inNamespace, type NetworkNamespace, openNamespace } from '../engine/network-namespace.ts';
import { type ControlPlane, flags, serviceRange, startControlPlane } from './control-plane.ts';
import { findKubernetes, type KubernetesProgram } from './programs.ts';

const timeoutMs = 5 * 60_000;
const nodeName = 'herald-node';
const podRange = '10.213.32.0/24';
const namespace: NetworkNamespace = {
  name: 'herald-node',
  outside: '10.213.7.5',
  inside: '10.213.7.6',
};
/** A pod's first container, which holds its namespaces. */
export const pauseImage = 'docker.io/library/herald-pause:1';

interface NodeOptions {
  readonly open: Disposal;
  readonly packages: UnpackedPackages;
  readonly progress: (line: string) => void;
  /** Archives of images, as `docker save` writes them. One has `pauseImage`. */
  readonly archives: readonly string[];
}

export interface ClusterNode extends ControlPlane {
  /** The address at which pods reach this machine. */
  readonly hostAddress: string;
  /** Gives an image of the archives another name. */
  readonly tagImage: (from: string, to: string) => Promise<void>;
}

interface Running extends NodeOptions {
  readonly plane: ControlPlane;
  readonly start: (name: string, command: readonly string[]) => ReturnType<typeof startGuarded>;
}

/** Starts a cluster of one node and waits until it is ready. Throws if another run uses its network namespace. */
export async function startNode(options: NodeOptions): Promise<ClusterNode> {
  const { open, packages, progress, archives } = options;
  await openNamespace(open, namespace, packages.env);
  const ip = (command: string) =>
    runProgram('ip', command.split(' '), { timeoutMs, env: packages.env });
  await ip(`route add ${serviceRange} via ${namespace.inside}`);
  const enter = (command: readonly string[]) => inNamespace(namespace, packages.env, command);
  const plane = await startControlPlane({
    open,
    progress,
    place: { address: namespace.inside, enter },
  });
  const start: Running['start'] = async (name, command) => {
    const logFile = join(plane.folder, `${name}.log`);
    const started = await startGuarded({ name, ...enter(command), logFile });
    open.defer(() => started.stop());
    return started;
  };
  const running = { ...options, plane, start };
  open.defer(removeControlGroups);
  open.defer(() => unmountBelow(plane.folder));
  const images = await startContainerd(running);
  for (const archive of archives) await images('import', archive);
  await startKubelet(running);
  await startManagers(running);
  await plane.kubectl('wait', '--for=create', '--timeout=60s', `node/${nodeName}`);
  await plane.kubectl('wait', '--for=condition=Ready', '--timeout=120s', `node/${nodeName}`);
  const tagImage = async (from: string, to: string) => void (await images('tag', from, to));
  return { ...plane, hostAddress: namespace.outside, tagImage };
}

/** Starts the runtime of containers, and returns what runs its commands for images. */
async function startContainerd({ open, packages, plane, start }: Running) {
  const folder = join(plane.folder, 'containerd');
  const socket = join(folder, 'socket');
  const network = join(folder, 'network');
  await mkdir(network, { recursive: true });
  await writeFile(join(network, 'bridge.conflist'), JSON.stringify(bridgeNetwork(folder)));
  const config = join(folder, 'config.toml');
  await writeFile(config, runtimeConfig(folder, packages.root));
  const daemon = await start('containerd', ['containerd', '--config', config]);
  const run = (...args: readonly string[]) =>
    runProgram('ctr', ['--address', socket, '--namespace', 'k8s.io', ...args], {
      timeoutMs,
      env: packages.env,
    });
  await waitUntilReady(daemon, {
    check: async () => (await run('version')) !== '',
    timeoutMs: startTimeoutMs,
  });
  // Its containers would outlive it.
  open.defer(async () => {
    for (const id of (await run('tasks', 'list', '--quiet')).split('\n').filter(Boolean))
      await run('tasks', 'delete', '--force', id).catch(() => undefined);
  });
  return (...args: readonly string[]) => run('images', ...args);
}

function runtimeConfig(folder: string, packages: string): string {
  return `version = 2
root = "${join(folder, 'root')}"
state = "${join(folder, 'state')}"
[grpc]
  address = "${join(folder, 'socket')}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${join(folder, 'opt')}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  # Not every machine lets its root lower a score.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${join(packages, 'usr/lib/cni')}"
    conf_dir = "${join(folder, 'network')}"
`;
}

function bridgeNetwork(folder: string) {
  const ipam = {
    type: 'host-local',
    dataDir: join(folder, 'addresses'),
    ranges: [[{ subnet: podRange }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const bridge = { type: 'bridge', bridge: 'pods', isGateway: true, ipMasq: true, ipam };
  return { cniVersion: '1.0.0', name: 'herald', plugins: [bridge] };
}

async function startKubelet({ plane, progress, start }: Running): Promise<void> {
  const folder = join(plane.folder, 'kubelet');
  await mkdir(folder);
  const config = join(folder, 'config.yaml');
  const resolver = join(folder, 'resolv.conf');
  await writeFile(resolver, 'nameserver 192.0.2.53\n');
  await writeFile(
    config,
    stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      containerRuntimeEndpoint: `unix://${join(plane.folder, 'containerd/socket')}`,
      // Only this machine reaches it.
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      cgroupDriver: 'cgroupfs',
      enforceNodeAllocatable: [],
      evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%' },
      failSwapOn: false,
      podLogsDir: join(folder, 'logs'),
      resolvConf: resolver,
      volumePluginDir: join(folder, 'plugins'),
    }),
  );
  await start('kubelet', [
    await findKubernetes('kubelet', progress),
    ...flags({
      config,
      kubeconfig: plane.kubeconfig,
      'root-dir': folder,
      'cert-dir': join(folder, 'certificates'),
      'hostname-override': nodeName,
      'node-ip': namespace.inside,
    }),
  ]);
}

/** Starts what makes pods of Deployments, places them, and leads a service's address to them. */
async function startManagers({ plane, progress, start }: Running): Promise<void> {
  const proxyConfig = join(plane.folder, 'proxy.yaml');
  await writeFile(
    proxyConfig,
    stringify({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      clientConnection: { kubeconfig: plane.kubeconfig },
      clusterCIDR: podRange,
      hostnameOverride: nodeName,
      mode: 'iptables',
      // A namespace may not change them.
      conntrack: {
        maxPerCore: 0,
        min: 0,
        tcpEstablishedTimeout: '0s',
        tcpCloseWaitTimeout: '0s',
      },
    }),
  );
  const common = { kubeconfig: plane.kubeconfig, 'leader-elect': 'false' };
  const programs: [KubernetesProgram, Readonly<Record<string, string>>][] = [
    ['kube-controller-manager', common],
    ['kube-scheduler', common],
    ['kube-proxy', { config: proxyConfig }],
  ];
  for (const [name, settings] of programs)
    await start(name, [await findKubernetes(name, progress), ...flags(settings)]);
}

/** Unmounts what pods of a failed check have left. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? [])
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.toReversed()) await runProgram('umount', [path], { timeoutMs });
}

/** Removes the empty control groups that the kubelet leaves. */
async function removeControlGroups(): Promise<void> {
  const root = '/sys/fs/cgroup';
  const controllers = await readdir(root).catch(() => []);
  for (const folder of [root, ...controllers.map((name) => join(root, name))])
    await removeEmpty(join(folder, 'kubepods'));
}

async function removeEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(folder, entry.name));
  await rmdir(folder).catch(() => undefined);
}
