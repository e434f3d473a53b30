// The service with a point at each await.
import { join } from 'node:path';
import { copyWithPoints } from './list-awaits.ts';

const runtime = new URL('runtime.mjs', import.meta.url).href;

/** The service compiled from a copy of its source in which every await is a point. */
export interface Points {
  folder: string;
  /** The copy. */
  source: string;
  /** The names of all points. */
  listed: string[];
}

export async function makePoints(parent: string): Promise<Points> {
  const source = join(parent, 'source');
  return { folder: parent, source, listed: await copyWithPoints(source) };
}

/** Returns the arguments and settings of a process, which is killed only while it is armed. */
export function withPoints(
  { folder }: Points,
  name: string,
): { args: string[]; env: Record<string, string> } {
  const env = { HERALD_POINTS: folder, HERALD_POINTS_PROCESS: name };
  return { args: ['--import', runtime], env };
}
