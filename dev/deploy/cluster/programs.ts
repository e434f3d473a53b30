// The programs of Kubernetes, built with Go. `k8s.io/kubernetes` names folders of its own tree as its dependencies; they
// are published as modules of their own, so a module that replaces each can build it.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOrInstall } from '../../servers/find-or-install.ts';
import { goModule } from '../../servers/go-module.ts';
import { runProgram } from '../../servers/run-program.ts';

/** Kubelets from 1.35 on refuse the control groups of older systems. */
export const kubernetesVersion = '1.34.4';
const buildTimeoutMs = 60 * 60_000;

const packages = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  'kube-proxy': 'k8s.io/kubernetes/cmd/kube-proxy',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
} as const;

export type KubernetesProgram = keyof typeof packages;

/** Returns the path of a program. Throws one sentence if there is none and Go cannot build it. */
export function findKubernetes(
  name: KubernetesProgram,
  progress: (line: string) => void,
): Promise<string> {
  return findOrInstall(
    {
      name,
      version: `of-kubernetes-${kubernetesVersion}`,
      how: 'building it with Go, the first of Kubernetes in 10 minutes, once',
      async make(staging) {
        const target = join(staging, name);
        await writeModule(staging);
        // The server says its version, which the chart asks for.
        const stamped = `-X k8s.io/component-base/version.gitVersion=v${kubernetesVersion}`;
        const linking = `-ldflags=-s -w ${stamped}`;
        const build = ['build', '-mod=mod', linking, '-o', target, packages[name]];
        await runProgram('go', ['-C', staging, ...build], {
          timeoutMs: buildTimeoutMs,
          env: { ...process.env, CGO_ENABLED: '0' },
        });
        return target;
      },
    },
    { env: process.env, progress },
  );
}

async function writeModule(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const source = await goModule(`k8s.io/kubernetes@v${kubernetesVersion}`);
  const own = await readFile(join(source, 'go.mod'), 'utf8');
  const published = kubernetesVersion.replace(/^1/, 'v0');
  const replaced = own
    .replace(/^module .*$/m, 'module agent-herald/kubernetes')
    .replaceAll(/=> \.\/staging\/src\/(\S+)/g, `=> $1 ${published}`);
  const required = `require k8s.io/kubernetes v${kubernetesVersion}`;
  await writeFile(join(folder, 'go.mod'), `${replaced}\n${required}\n`);
  await copyFile(join(source, 'go.sum'), join(folder, 'go.sum'));
}
