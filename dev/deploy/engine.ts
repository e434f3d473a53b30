// The container engine of this machine.
import { isRecord } from '../../lib/platform/error-code.ts';
import { canRun, reasonOf, runProgram } from '../servers/run-program.ts';

const shownLines = 15;
const timeoutMsByDefault = 60_000;

/** Returns the sentence that says what is missing, or null. */
export async function missingEngine(): Promise<string | null> {
  if (!(await canRun(['docker', 'info']))) return 'no container engine responds to `docker info`';
  const hasCompose = await canRun(['docker', 'compose', 'version']);
  return hasCompose ? null : 'the command `docker compose` is not installed';
}

/** Runs `docker` and returns what it printed. Throws the last lines of that. */
export async function docker(
  args: readonly string[],
  timeoutMs = timeoutMsByDefault,
): Promise<string> {
  return runProgram('docker', args, { timeoutMs }).catch((error: unknown) => {
    const printed = printedBy(error).split('\n').slice(-shownLines).join('\n');
    throw new Error(`docker ${args.join(' ')}: ${reasonOf(error)}\n${printed}`, { cause: error });
  });
}

/** Returns the output of a program that `runProgram` has seen failing. */
export function printedBy(error: unknown): string {
  const cause = isRecord(error) && isRecord(error['cause']) ? error['cause'] : {};
  const texts = [cause['stdout'], cause['stderr']].filter((text) => typeof text === 'string');
  return texts.join('').trim();
}

/** Returns the address at which containers reach this machine. */
export async function hostAddress(): Promise<string> {
  const format = '{{(index .IPAM.Config 0).Gateway}}';
  return (await docker(['network', 'inspect', 'bridge', '--format', format])).trim();
}
