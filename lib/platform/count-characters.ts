/** In Unicode code points, as JSON Schema counts them. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}
