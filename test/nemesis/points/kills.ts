// Kills api and worker once at each await that the load reaches.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../history.ts';
import type { World } from '../world.ts';
import type { Points } from './instrumented.ts';

const roles = ['api', 'worker'] as const;
const pollMs = 500;
/** The load reaches nothing new. */
const calmMs = 120_000;

interface Kills {
  faults: Fault[];
  /** By role and point. */
  killed: string[];
}

/** Lets processes kill themselves, one of each role at a time, until none has for a while, or the time is up. */
export async function killAtEach(
  world: World,
  { folder }: Points,
  timeoutMs: number,
): Promise<Kills> {
  const startedMs = performance.now();
  let killed: string[] = [];
  let grewMs = startedMs;
  while (performance.now() - startedMs < timeoutMs && performance.now() - grewMs < calmMs) {
    await sleep(pollMs);
    for (const role of roles) await armOne(world, folder, role);
    const now = await readKilled(folder);
    if (now.length > killed.length) grewMs = performance.now();
    if (Math.floor(now.length / 50) > Math.floor(killed.length / 50))
      world.progress(`${now.length} killed`);
    killed = now;
  }
  await disarm(folder, world.roles.running.keys());
  await world.heal();
  return { killed: await readKilled(folder), faults: faultsOf(world) };
}

const armedPath = (folder: string, name: string): string => join(folder, `${name}.armed`);

/** Arms any one process of the role while all of it are ready, so that another takes over its work. */
async function armOne({ roles: { running } }: World, folder: string, role: string): Promise<void> {
  const ofRole = [...running].filter(([name]) => name.startsWith(role));
  const names = ofRole.map(([name]) => name);
  await disarm(folder, names);
  if (!ofRole.every(([, { isReady }]) => isReady)) return;
  const name = names[Math.floor(Math.random() * names.length)] ?? '';
  await writeFile(armedPath(folder, name), '');
}

async function disarm(folder: string, names: Iterable<string>): Promise<void> {
  for (const name of names) await rm(armedPath(folder, name), { force: true });
}

async function readKilled(folder: string): Promise<string[]> {
  const read = async (role: string): Promise<string[]> => {
    const text = await readFile(join(folder, `${role}.killed`), 'utf8').catch(() => '');
    return [...new Set(text.split('\n').filter(Boolean))].map((name) => `${role} ${name}`);
  };
  return (await Promise.all(roles.map(read))).flat();
}

function faultsOf({ roles: { running } }: World): Fault[] {
  return [...running]
    .flatMap(([target, { deaths }]) => deaths.map((span) => ({ name: 'killed', target, ...span })))
    .toSorted((a, b) => a.startMs - b.startMs);
}
