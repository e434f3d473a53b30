// Reads a password from the terminal without showing it, or as a line from a pipe.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/**
 * Gives a password: typed twice at a terminal, or the first line of what is piped in. Throws an Error
 * when the two differ, or nothing came. It is never an argument, which other users of the machine see.
 */
export async function readNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) {
    process.stderr.write('Reading the password from standard input.\n');
    return readLine();
  }
  process.stderr.write('Password (12 to 128 characters, not shown): ');
  const password = await readLine();
  process.stderr.write('\nThe same again: ');
  const again = await readLine();
  process.stderr.write('\n');
  if (password.normalize('NFKC') !== again.normalize('NFKC')) throw new Error('the two differ');
  return password;
}

async function readLine(): Promise<string> {
  // What readline would show of the typed characters goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = process.stdin.isTTY;
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal });
  lines.on('SIGINT', () => lines.close());
  try {
    const closed = once(lines, 'close').then(() => null);
    const line = await Promise.race([once(lines, 'line'), closed]);
    if (line === null) throw new Error('no password was given');
    return String(line[0]);
  } finally {
    lines.close();
  }
}
