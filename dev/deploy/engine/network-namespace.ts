// A network namespace that is connected to this machine's network, so that this machine's own rules stay as they are.
import { readFile, writeFile } from 'node:fs/promises';
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { runProgram } from '../../servers/run-program.ts';

const timeoutMs = 30_000;
const forwarding = '/proc/sys/net/ipv4/ip_forward';

export interface NetworkNamespace {
  readonly name: string;
  /** This machine's address on the link. */
  readonly outside: string;
  /** The namespace's address on the link. */
  readonly inside: string;
}

/** Returns the command that runs another one in the namespace, with the programs and libraries of `env`. */
export function inNamespace(
  { name }: NetworkNamespace,
  env: NodeJS.ProcessEnv,
  command: readonly string[],
): { binary: string; args: string[] } {
  const { PATH, LD_LIBRARY_PATH, XTABLES_LIBDIR } = env;
  const settings = Object.entries({ PATH, LD_LIBRARY_PATH, XTABLES_LIBDIR });
  const variables = settings.map(([variable, value]) => `${variable}=${value}`);
  return {
    binary: 'nsenter',
    args: [`--net=/run/netns/${name}`, 'env', ...variables, ...command],
  };
}

/** Makes the namespace, with programs of `env`. Throws if another run uses it. */
export async function openNamespace(
  open: Disposal,
  namespace: NetworkNamespace,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { name, outside, inside } = namespace;
  const link = { outside: `${name}-o`, inside: `${name}-i` };
  const run = (program: string, ...args: string[]) => runProgram(program, args, { timeoutMs, env });
  const ip = (command: string) => run('ip', ...command.split(' '));
  const users = await ip(`netns pids ${name}`).catch(() => undefined);
  if (users !== undefined && users.trim() !== '')
    throw new Error(
      `the network namespace ${name} is used by the processes ${users.trim().split('\n').join(', ')}: wait for that run, or end them`,
    );
  // A killed run leaves it behind.
  if (users !== undefined) await ip(`netns delete ${name}`);
  await ip(`netns add ${name}`);
  open.defer(async () => void (await ip(`netns delete ${name}`)));
  await ip(`link add ${link.outside} type veth peer name ${link.inside} netns ${name}`);
  await ip(`address add ${outside}/30 dev ${link.outside}`);
  await ip(`link set ${link.outside} up`);
  for (const command of [
    `address add ${inside}/30 dev ${link.inside}`,
    `link set ${link.inside} up`,
    'link set lo up',
    `route add default via ${outside}`,
  ])
    await ip(`-n ${name} ${command}`);
  const before = await readFile(forwarding, 'utf8');
  await writeFile(forwarding, '1');
  open.defer(() => writeFile(forwarding, before));
  const rule = ['POSTROUTING', '-s', `${inside}/32`, '-j', 'MASQUERADE'];
  // A killed run leaves it behind. There is none otherwise.
  await run('iptables', '-t', 'nat', '-D', ...rule).catch(() => undefined);
  await run('iptables', '-t', 'nat', '-A', ...rule);
  open.defer(async () => void (await run('iptables', '-t', 'nat', '-D', ...rule)));
}
