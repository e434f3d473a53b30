// Keeps the beginning of an answer as text that can be stored and shown.

/** How much of an answer is kept, in bytes of UTF-8. */
export const responseSampleBytesMax = 4 * 1024;

// JSON writes six bytes for most of them, some stores refuse NUL, and terminals obey others.
const controlCharacters = /[^\P{Cc}\t\n\r]/gu;

/**
 * The first 4 KiB of an answer as text, cut between characters. Bytes that are not UTF-8 and control
 * characters other than tabs and line breaks become U+FFFD. `whole` says that the bytes are all there is.
 */
export function sampleText(bytes: Buffer, whole: boolean): string {
  const decoded = decode(bytes.subarray(0, responseSampleBytesMax), whole);
  const text = decoded.replace(controlCharacters, '\uFFFD');
  const encoded = Buffer.from(text, 'utf8');
  // A replacement takes three bytes where the bad one took one, so the limit is applied again.
  if (encoded.length <= responseSampleBytesMax) return text;
  return decode(encoded.subarray(0, responseSampleBytesMax), false);
}

/** A streaming decoder that is not flushed leaves out a character cut in the middle. */
function decode(bytes: Buffer, whole: boolean): string {
  const cut = !whole || bytes.length === responseSampleBytesMax;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut });
}
