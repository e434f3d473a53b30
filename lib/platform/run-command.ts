import { errorCode } from './error-code.ts';

/** Runs a command; an error becomes one line on standard error and exit code 1. With `--help`, only prints `help`. */
export async function runCommand(command: () => Promise<void>, help?: string): Promise<void> {
  try {
    if (help !== undefined && process.argv.includes('--help')) process.stdout.write(help);
    else await command();
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`);
    process.exitCode = 1;
  }
}

export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The rest of Node's message is about its own parser.
  const isArgument = String(errorCode(error)).startsWith('ERR_PARSE_ARGS_');
  return isArgument ? `${message.split('. ')[0]}; run with --help for usage` : message;
}
