export function isMailUrl(text: string): boolean {
  return /^mailto:/i.test(text);
}

/** Returns the part of a webhook's URL that may be shown and stored: paths and queries often contain a secret. */
export function originOf(url: string): string {
  return isMailUrl(url) ? `mailto:${url.slice(url.lastIndexOf('@'))}` : new URL(url).origin;
}

/** Returns the host and port of a webhook's URL, or the domain of its email address. */
export function hostOf(url: string): string {
  return isMailUrl(url) ? url.slice(url.lastIndexOf('@') + 1) : new URL(url).host;
}
