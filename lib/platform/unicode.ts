// Zero-width and format characters, fillers, variation selectors, and the blank pattern of Braille.
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Checks whether a text has characters that nobody sees: two texts that look alike would differ by them. */
export function hasInvisible(text: string): boolean {
  return invisible.test(text);
}

/**
 * Checks whether a text may identify something by exact comparison: it has a visible character and no invisible one, and
 * is in the form that keyboards write (NFC, UAX #15), since its other forms look the same.
 */
export function isIdentifying(text: string): boolean {
  return /\S/.test(text) && !hasInvisible(text) && text.normalize('NFC') === text;
}
