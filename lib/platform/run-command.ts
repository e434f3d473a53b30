// The life of a command: it runs to its end, and what goes wrong is one line.

/** Runs a command; what it throws is one line on standard error, and makes the exit code 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
