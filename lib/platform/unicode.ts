// Zero-width and format characters, fillers, variation selectors, and the blank Braille pattern.
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Checks whether a text has invisible characters, so that it could differ from another that looks the same. */
export function hasInvisible(text: string): boolean {
  return invisible.test(text);
}

/**
 * Checks whether a text can be an identifier that is compared exactly: it has a visible character, no invisible one,
 * and is in the form that keyboards produce (NFC, UAX #15), since other forms look the same.
 */
export function isIdentifying(text: string): boolean {
  return /\S/.test(text) && !hasInvisible(text) && text.normalize('NFC') === text;
}
