import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disposal } from '../../lib/platform/disposal.ts';

const abandonedAfterMs = 60 * 60 * 1000;

/** Makes a folder below the temporary one. It is removed when `open` is disposed of. */
export async function makeTemporaryFolder(open: Disposal, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `herald-${name}-`));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Removes folders that killed processes left, if nothing has changed in them for an hour. */
export async function removeAbandoned(
  parent: string,
  isCandidate: (entry: string) => boolean,
): Promise<void> {
  for (const entry of (await readdir(parent)).filter(isCandidate)) {
    const path = join(parent, entry);
    // It may vanish meanwhile, or belong to another user.
    const modifiedMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity;
    if (Date.now() - modifiedMs < abandonedAfterMs) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
