// Makes the planned faults in the world, and records when each began and ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { shiftedClock } from '../support/shifted-clock.ts';
import { waitFor } from '../support/wait-for.ts';
import type { ServerProxy } from '../support/server-proxy.ts';
import type { Fault } from './history.ts';
import type { FaultName, PlannedFault } from './schedule.ts';
import type { World } from './world.ts';

interface Scene {
  readonly world: World;
  /** The name of a process or a proxy. */
  readonly target: string;
  readonly forMs: number;
  readonly amount: number;
}

const wholeWithinMs = 60_000;

const makers: Readonly<Record<FaultName, (scene: Scene) => Promise<void>>> = {
  killed: ({ world, target }) => world.process(target).restart('SIGKILL'),
  async frozen({ world, target, forMs }) {
    const kept = world.process(target);
    await kept.ready();
    const { member } = kept;
    await member.signal('SIGSTOP');
    await sleep(forMs);
    if (member.pid !== null) await member.signal('SIGCONT');
  },
  'stepped down': ({ world }) => world.mongodb.stepDown(),
  async 'cut off'(scene) {
    await during(scene, (proxy, isOn) => proxy.refuse(isOn));
  },
  async 'disk full'({ world, target, forMs }) {
    await world.memberFaults?.set(target, { isDiskFull: true });
    await sleep(forMs);
    await world.memberFaults?.set(target, {});
    await world.process(target).ready();
  },
  async 'clock off'(scene) {
    const { world, target, forMs, amount } = scene;
    if (target.startsWith('mongod')) {
      await world.memberFaults?.set(target, { aheadSeconds: amount });
      await sleep(forMs);
      await world.memberFaults?.set(target, {});
    } else await withSettings(scene, shiftedClock(amount * 1_000));
  },
  async cut(scene) {
    proxyOf(scene).cut();
  },
  async 'half open'(scene) {
    await during(scene, (proxy, isOn) => proxy.silence(isOn));
  },
  async delayed(scene) {
    await during(scene, (proxy, isOn) => proxy.delay(isOn ? scene.amount : 0));
  },
  'first attempts off': (scene) => withSettings(scene, { HERALD_API_DELIVERS: 'false' }),
  'two versions': ({ world, forMs }) => world.roles.upgrade(forMs),
};

function proxyOf({ world, target }: Scene): ServerProxy {
  const proxy = world.proxies.get(target);
  if (proxy === undefined) throw new Error(`the world has no proxy ${target}`);
  return proxy;
}

async function during(
  scene: Scene,
  set: (proxy: ServerProxy, isOn: boolean) => void,
): Promise<void> {
  set(proxyOf(scene), true);
  await sleep(scene.forMs);
  set(proxyOf(scene), false);
}

/** Restarts a process with settings of its own, and after the time of the fault without them. */
async function withSettings(
  { world, target, forMs }: Scene,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const over = sleep(forMs);
  await world.roles.change(target, settings);
  await over;
  await world.roles.change(target, {});
}

/** Makes one fault. Resolves once the world is as before; if that fails, with a line. */
async function makeFault(world: World, planned: PlannedFault): Promise<Fault> {
  const { name, forMs, amount } = planned;
  const startMs = Date.now();
  let { target } = planned;
  try {
    target = await resolveTarget(world, planned.target);
    await makers[name]({ world, target, forMs, amount });
    const options = { timeoutMs: wholeWithinMs, what: 'the whole replica set' };
    if (planned.holds.includes('set')) await waitFor(() => world.mongodb.isWhole(), options);
  } catch (error) {
    world.progress(`not over: ${name} ${target}: ${String(error)}`);
  }
  const role = target === planned.target ? '' : ` (${planned.target})`;
  return { name, target: `${target}${role}`, startMs, endMs: Date.now() };
}

async function resolveTarget({ mongodb }: World, target: string): Promise<string> {
  if (target !== 'primary' && target !== 'secondary') return target;
  const primary = await mongodb.primary();
  const secondary = mongodb.members.find((member) => member !== primary) ?? primary;
  return (target === 'primary' ? primary : secondary).name;
}

/** Makes all faults of a plan, counted from now. One that would begin in a quiet time is left out, with a line. */
export async function makeFaults(world: World, plan: readonly PlannedFault[]): Promise<Fault[]> {
  const startMs = Date.now();
  const faults: Fault[] = [];
  const holding = new Map<string, Promise<void>>();
  const make = async (planned: PlannedFault, free: Promise<unknown>): Promise<void> => {
    await free;
    const isLate = Date.now() + planned.forMs > startMs + planned.quietFromMs;
    const isMissing = planned.holds.includes('set') && !canFail(world, planned);
    if (isLate || isMissing) world.progress(`left out: ${planned.name} ${planned.target}`);
    else faults.push(await makeFault(world, planned));
  };
  const making: Promise<void>[] = [];
  for (const planned of plan) {
    await sleep(Math.max(0, startMs + planned.atMs - Date.now()));
    const before = planned.holds.map((name) => holding.get(name) ?? Promise.resolve());
    const made = make(planned, Promise.all(before));
    for (const name of planned.holds) holding.set(name, made);
    making.push(made);
  }
  await Promise.all(making);
  return faults;
}

function canFail({ memberFaults }: World, { name }: PlannedFault): boolean {
  return memberFaults !== null || (name !== 'disk full' && name !== 'clock off');
}
