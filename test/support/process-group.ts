// Checks whether a process group of a server is still running: the server or its watcher.
import { readdir, readFile } from 'node:fs/promises';

/** Returns true if no process of the group is running. Zombies do not count. */
export async function groupIsGone(groupId: number): Promise<boolean> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const groups = await Promise.all(processes.map(runningGroup));
  return !groups.includes(groupId);
}

async function runningGroup(pid: string): Promise<number | undefined> {
  // It may end between the listing and the reading.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const [state, , group] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === undefined || state === 'Z' ? undefined : Number(group);
}
