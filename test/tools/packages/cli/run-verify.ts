// Runs `agent-herald verify` on a request that was saved as headers and a body.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { createProgram } from '../../../../packages/cli/src/program.ts';

interface Check {
  check: string;
  result: string;
  code: string | null;
  why: string;
}

interface SavedRequest {
  headers: Record<string, string>;
  body: Buffer;
  args: readonly string[];
}

/** Returns the checks, and the message of the error with which the command failed. */
export async function runVerify({ headers, body, args }: SavedRequest) {
  const folder = await mkdtemp(join(tmpdir(), 'verify-'));
  await writeFile(join(folder, 'headers'), JSON.stringify(headers));
  await writeFile(join(folder, 'body'), body);
  const chunks: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    chunks.push(String(chunk));
    return true;
  });
  const files = ['--headers', join(folder, 'headers'), '--body', join(folder, 'body')];
  const failure = await createProgram()
    .parseAsync(['--json', 'verify', ...files, ...args], { from: 'user' })
    .then(
      () => null,
      (error: Error) => error.message,
    );
  write.mockRestore();
  await rm(folder, { recursive: true });
  return { failure, checks: JSON.parse(chunks.join('') || '[]') as Check[] };
}
