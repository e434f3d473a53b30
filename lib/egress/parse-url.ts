// Not `URL.canParse`: on Node 20, once optimised, it rejects URLs with a Latin-1 letter such as ü.
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
