// Reads the code Node and gRPC put on their errors, which is typed nowhere.

/** Gives an error's `code` (`ENOENT`, a gRPC status, an exit code), undefined where there is none. */
export function errorCode(error: unknown): string | number | undefined {
  if (!isRecord(error)) return undefined;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? code : undefined;
}

/** Gives whether a value of unknown make has fields that can be read. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
