/** Returns the `code` of an error, or null. No `instanceof`: in a vm context, Node's errors are of another realm. */
export function errorCode(error: unknown): string | number | null {
  if (!isRecord(error)) return null;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? code : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
