import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

interface Terminal {
  stdin: Readable & { isTTY?: boolean };
  stderr: Writable;
}

/**
 * Returns a password that is typed twice at a terminal or piped in. It is never an argument, which other users of the
 * machine could see. Throws an Error if the two entries differ or the input is empty.
 */
export async function readNewPassword({ stdin, stderr }: Terminal): Promise<string> {
  const terminal = stdin.isTTY === true;
  // Open from the first prompt to the last answer, because a terminal echoes input that nobody reads.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal });
  lines.on('SIGINT', () => lines.close());
  const typed = lines[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    stderr.write(question);
    const { value, done } = await typed.next();
    if (done === true) throw new Error('no password was given');
    return value;
  };
  try {
    if (!terminal) return await ask('Reading the password from standard input.\n');
    const password = await ask('Password (12 to 128 characters, not shown): ');
    const again = await ask('\nRepeat the password: ');
    stderr.write('\n');
    if (password.normalize('NFKC') !== again.normalize('NFKC'))
      throw new Error('the passwords do not match');
    return password;
  } finally {
    lines.close();
  }
}
