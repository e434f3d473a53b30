// A clock that is off and a full disk of a mongod, by a library that is preloaded into it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canRun, runProgram } from '../../dev/servers/run-program.ts';

const timeoutMs = 30_000;

export interface MemberFaults {
  /** The environment in which a member can get the faults. */
  envOf(name: string): NodeJS.ProcessEnv;
  /** Applies from now on, also to a running member. */
  set(name: string, faults: { aheadSeconds?: number; isDiskFull?: boolean }): Promise<void>;
}

/** Compiles the library. Returns null, and says so, if there is no C compiler. */
export async function openMemberFaults(
  folder: string,
  progress: (line: string) => void,
): Promise<MemberFaults | null> {
  const library = join(folder, 'member-faults.so');
  const source = fileURLToPath(new URL('member-faults.c', import.meta.url));
  if (!(await canRun(['cc', '--version']))) {
    progress('no cc: the faults "disk full" and "clock off" of MongoDB members are left out');
    return null;
  }
  await runProgram('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { timeoutMs });
  const fileOf = (name: string): string => join(folder, `${name}.faults`);
  return {
    envOf: (name) => ({ ...process.env, LD_PRELOAD: library, NEMESIS_FAULTS: fileOf(name) }),
    async set(name, { aheadSeconds = 0, isDiskFull = false }) {
      const numbers = new BigInt64Array([BigInt(aheadSeconds), BigInt(isDiskFull)]);
      // In place, because the member has mapped the file.
      const bytes = new Uint8Array(numbers.buffer);
      await writeFile(fileOf(name), bytes, { flag: 'r+' }).catch(() =>
        writeFile(fileOf(name), bytes),
      );
    },
  };
}
