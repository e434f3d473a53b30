// Files that the user names. Their faults are told in words.
import { readFileSync } from 'node:fs';
import { CommandError, exitCodes } from './exit-codes.ts';

const faults: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no file ${path}`,
  EACCES: (path) => `the file ${path} may not be read by you`,
  EPERM: (path) => `the file ${path} may not be read by you`,
  EISDIR: (path) => `${path} is a folder, not a file`,
  ENOTDIR: (path) => `there is no file ${path}: a part of its path is not a folder`,
  ENOSPC: (path) => `${path} cannot be written: the disk is full`,
  EROFS: (path) => `${path} cannot be written: the disk is read-only`,
};

/** Returns what is wrong with a file, for people. */
export function fileFault(error: unknown, path: string): CommandError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const fault = faults[code]?.(path) ?? `${path}: ${message}`;
  return new CommandError(fault, exitCodes.usage);
}

/** Reads a file, or standard input for `-`. Throws `CommandError`. */
export function readGivenFile(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw fileFault(error, path === '-' ? 'standard input' : path);
  }
}
