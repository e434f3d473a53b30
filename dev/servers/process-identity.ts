import { readFile } from 'node:fs/promises';
import { errorCode } from '../../lib/platform/error-code.ts';

// Fields of /proc/PID/stat after the command name, which is in parentheses and can contain spaces.
const stateField = 0;
const startTimeField = 19;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Returns when a process started, in ticks since boot. That differs for a later process with the same ID. Null if there
 * is no /proc or the process has ended.
 */
export async function processStartTime(pid: number): Promise<string | null> {
  let stat: string;
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isZombie = fields[stateField] === 'Z';
  return isZombie ? null : (fields[startTimeField] ?? null);
}
