// Reads a URL without throwing.

/**
 * Gives the URL (WHATWG), or null for text that is none. Not `URL.canParse`: on Node 20, once it has
 * been compiled after some thousands of calls, it says no to every URL with a Latin-1 letter such
 * as ü in it.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
