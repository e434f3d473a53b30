/** Counts Unicode code points, as JSON Schema does. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}
