/** Checks whether a text can be a complete email address. Only its hash is stored, so parts match nobody. */
export function isWholeAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(text);
}
