// Kills api and worker once at each await that the load reaches.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../history.ts';
import type { World } from '../world.ts';
import type { Points } from './instrumented.ts';

const roles = ['api', 'worker'] as const;
const pollMs = 2_000;
/** The load reaches nothing new. */
const calmMs = 120_000;

export interface Kills {
  faults: Fault[];
  /** By role and point. */
  killed: string[];
}

/** Waits until no process has been killed for a while, or the time is up. From then on none is killed. */
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
    const now = await readKilled(folder);
    if (now.length > killed.length) grewMs = performance.now();
    if (Math.floor(now.length / 50) > Math.floor(killed.length / 50))
      world.progress(`${now.length} killed`);
    killed = now;
  }
  await writeFile(join(folder, 'over'), '');
  await world.heal();
  return { killed: await readKilled(folder), faults: faultsOf(world) };
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
