// What people paste: values with spaces, quotes or the name of their field, and whole API keys.

const field = /^["']?[\w.-]+["']?\s*[:=]\s*(["'`])(.*)\1$/su;
const quotes = /^(["'`“”„«»‘’])(.*)["'`“”„«»‘’]$/su;

/** Returns the value in a pasted text, without what surrounds it: `"externalTenantId": "acme",` is `acme`. */
export function pastedValue(text: string): string {
  const bare = text.trim().replace(/[,;]$/u, '').trimEnd();
  const value = field.exec(bare)?.[2] ?? quotes.exec(bare)?.[2];
  return value === undefined ? text.trim() : value.trim();
}

const wholeKey = /\bahk_([0-9A-Za-z]{12})_[0-9A-Za-z]*/g;

/** Returns a text in which each API key is only its public part, as logs show it. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(wholeKey, 'ahk_$1');
}

/** Returns the beginning of a key's ID, which logs show with or without `ahk_`. Null for other texts. */
export function keyIdIn(text: string): string | null {
  return /^ahk_([0-9A-Za-z]{1,12})$/.exec(withoutSecrets(pastedValue(text)))?.[1] ?? null;
}
