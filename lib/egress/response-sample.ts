import { egressLimits } from '../limits.ts';

const { responseSampleBytesMax } = egressLimits;

// Some stores refuse NUL, terminals obey others, and JSON takes six bytes for most.
const controlCharacters = /[^\P{Cc}\t\n\r]/gu;

/** Returns the first 4 KiB as text, cut between characters. `whole`: the bytes are the whole answer. */
export function sampleText(bytes: Buffer, whole: boolean): string {
  const decoded = decode(bytes.subarray(0, responseSampleBytesMax), whole);
  const text = decoded.replace(controlCharacters, '\uFFFD');
  const encoded = Buffer.from(text, 'utf8');
  // A replacement is longer than what it replaces.
  if (encoded.length <= responseSampleBytesMax) return text;
  return decode(encoded.subarray(0, responseSampleBytesMax), false);
}

// A streaming decoder leaves out a character cut in the middle.
function decode(bytes: Buffer, whole: boolean): string {
  const cut = !whole || bytes.length === responseSampleBytesMax;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut });
}
