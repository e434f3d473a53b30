/** Checks whether a text can be a whole e-mail address: only its hash is kept, so parts find nobody. */
export function isWholeAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(text);
}
