// Runs the steps of README.md in a copy of the checkout, and compares what they print with its samples.
import { readFile, writeFile } from 'node:fs/promises';
import { openShell, type Session } from './shell.ts';
import { outlineOf, readTour, requestIn } from './read-tour.ts';

const receiptTimeoutMs = 30_000;
const tokenShownCharacters = 56;
const isRecording = process.env['HERALD_RECORD'] === 'true';

/** Throws if a sample has other fields than what was printed. With HERALD_RECORD, writes what was printed instead. */
export async function tryReadme(readme: string, session: Session): Promise<void> {
  const { options, atPort, asWritten } = session;
  let markdown = await readFile(readme, 'utf8');
  const { receiver, steps } = readTour(markdown);
  await using terminal = openShell(atPort(receiver), options);
  for (const { command, sample } of steps) {
    if (command === null) await terminal.until('webhook-signature', receiptTimeoutMs);
    const printed =
      command === null ? requestIn(terminal.output()) : await outputOf(atPort(command), options);
    const shown = asWritten(printed.trim()).replace(/("authToken":"[^"]*)/, shortened);
    if (isRecording) markdown = markdown.replace(sample, () => shown);
    else if (outlineOf(shown) !== outlineOf(sample))
      throw new Error(
        `README.md shows\n${sample}\nbut this was printed:\n${shown}\nHERALD_RECORD=true npm run test:packages -- quickstart writes it`,
      );
  }
  if (isRecording) await writeFile(readme, markdown);
}

/** Repeats a call that only reads, because a delivery is recorded after the receiver has printed it. */
async function outputOf(command: string, options: Session['options']): Promise<string> {
  const deadline = performance.now() + receiptTimeoutMs;
  for (;;) {
    const call = openShell(command, options);
    await call.ended;
    const isSettled = command.includes(' -d ') || call.output().includes('"delivered"');
    if (isSettled || performance.now() > deadline) return call.output();
  }
}

function shortened(token: string): string {
  return `${token.slice(0, tokenShownCharacters)}…`;
}
