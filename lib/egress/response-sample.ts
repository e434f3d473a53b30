import { egressLimits } from '../limits.ts';

const { responseSampleBytesMax } = egressLimits;

// Some stores reject NUL, terminals interpret others, and JSON takes six bytes for most.
const controlCharacters = /[^\P{Cc}\t\n\r]/gu;

interface SampleOptions {
  charset?: string;
  bytesMax?: number;
}

/**
 * Returns the first bytes as text, by default 4 KiB, cut between characters. `whole` means that the bytes are the whole
 * text. An unknown `charset` is read as UTF-8.
 */
export function sampleText(
  bytes: Buffer,
  whole: boolean,
  { charset = 'utf-8', bytesMax = responseSampleBytesMax }: SampleOptions = {},
): string {
  const isCut = !whole || bytes.length >= bytesMax;
  const decoded = decode(bytes.subarray(0, bytesMax), isCut, charset);
  const text = decoded.replace(controlCharacters, '\uFFFD');
  const encoded = Buffer.from(text, 'utf8');
  // A replacement character is longer than the original.
  if (encoded.length <= bytesMax) return text;
  return decode(encoded.subarray(0, bytesMax), true, 'utf-8');
}

// A streaming decoder leaves out a character cut in the middle.
function decode(bytes: Buffer, stream: boolean, charset: string): string {
  const options = { ignoreBOM: true };
  try {
    return new TextDecoder(charset, options).decode(bytes, { stream });
  } catch {
    // An unknown charset.
    return new TextDecoder('utf-8', options).decode(bytes, { stream });
  }
}

// Shorter texts may be common words.
const hiddenCharactersMin = 8;

/** Replaces texts of at least 8 characters by `…`: verbatim, in JSON form, and truncated at the end of the sample. */
export function hideTexts(sample: string, texts: readonly string[]): string {
  const forms = texts
    .filter((text) => text.length >= hiddenCharactersMin)
    .flatMap((text) => {
      const inJson = JSON.stringify(text).slice(1, -1);
      return [text, inJson, inJson.replaceAll('/', '\\/')];
    })
    // Longest first, because one may contain another.
    .toSorted((a, b) => b.length - a.length);
  const hidden = forms.reduce((text, form) => text.replaceAll(form, '…'), sample);
  const cutLength = Math.max(0, ...forms.map((form) => lengthOfCut(hidden, form)));
  return cutLength === 0 ? hidden : `${hidden.slice(0, -cutLength)}…`;
}

function lengthOfCut(sample: string, form: string): number {
  for (let length = form.length - 1; length >= hiddenCharactersMin; length -= 1) {
    if (sample.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}
