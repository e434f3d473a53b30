// Tells whether a process lives, and whether it is the same one that once had this number.
import { readFile } from 'node:fs/promises';
import { errorCode } from '../../lib/platform/error-code.ts';

// Fields of /proc/PID/stat after the command name, which is in parentheses and may hold spaces.
const stateField = 0;
const startTimeField = 19;

/** Gives whether a process with this number exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Gives when a process started, in the kernel's ticks since boot, which tells it from a later one
 * with the same number; null where the system does not say or the process has ended.
 */
export async function processStartTime(pid: number): Promise<string | null> {
  let stat: string;
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // No such process, or no /proc on this system: the number is all there is to go by.
    return null;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isZombie = fields[stateField] === 'Z';
  return isZombie ? null : (fields[startTimeField] ?? null);
}
