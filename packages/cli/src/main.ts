import { CommanderError } from 'commander';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { maskUrls, printable } from './printable.ts';
import { createProgram } from './program.ts';
import { stopSignal } from './session.ts';

// A reader such as `head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  throw error;
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
// Do not wait for open calls, such as one to a receiver that hangs.
if (stopSignal.aborted) process.exit();

/** Prints the error and returns the exit code. */
function report(error: unknown): number {
  if (stopSignal.aborted) return exitCodes.ok;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: ${maskUrls(printable(message))}\n`);
  return exitCodeOf(error);
}
