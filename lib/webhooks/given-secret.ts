// The rules for a secret that a receiver generated.
const character = '[A-Za-z0-9+/]';
const three = `${character}{4}`;
const two = `${character}{2}[AEIMQUYcgkosw048]=`;
const one = `${character}[AQgw]==`;

/** `whsec_` and 24 to 64 bytes in canonical base64: the unused bits of the last character are 0. */
export const secretShape = new RegExp(
  `^whsec_(?:(?:${three}){8,20}(?:${three}|${two}|${one})?|(?:${three}){21}${one})$`,
);

// 24 random bytes break each rule less than once in ten billion times.
const distinctBytesMin = 12;

/** Returns why the bytes of a secret of the right shape are no random ones, or null. */
export function weaknessOf(secret: string): string | null {
  const bytes = [...Buffer.from(secret.slice('whsec_'.length), 'base64')];
  const steps = bytes.slice(1).map((byte, index) => (byte - (bytes[index] ?? 0) + 256) % 256);
  const distinct = Math.min(new Set(bytes).size, new Set(steps).size);
  if (distinct < distinctBytesMin) return 'has too few different bytes';
  if (isRepeated(bytes)) return 'repeats a short pattern';
  return bytes.every(isPrintable) ? 'is base64 of a text instead of random bytes' : null;
}

/** Checks whether the bytes repeat with a period of at most half of their number. */
function isRepeated(bytes: readonly number[]): boolean {
  const periods = Array.from({ length: Math.floor(bytes.length / 2) }, (_, index) => index + 1);
  return periods.some((period) =>
    bytes.every((byte, index) => index < period || byte === bytes[index - period]),
  );
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte <= 0x7e) || (byte >= 0x09 && byte <= 0x0d);
}
