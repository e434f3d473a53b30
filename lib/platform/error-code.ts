// Reads the code that Node, undici and MongoDB put on their errors, which is typed nowhere.

/**
 * Gives an error's `code` (`ENOENT`, a `SendFault`'s, an exit code, MongoDB's 11000), null where there
 * is none. Not by `instanceof`: Node's own errors are of another realm where modules run in a vm context.
 */
export function errorCode(error: unknown): string | number | null {
  if (!isRecord(error)) return null;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? code : null;
}

/** Gives whether a value of unknown make has fields that can be read. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
