/** Whether the URL of a webhook is an address, to which mail goes. */
export function isMailUrl(text: string): boolean {
  return /^mailto:/i.test(text);
}

/** Returns what of a webhook's URL may be shown and stored: paths and queries often hold a secret. */
export function originOf(url: string): string {
  return isMailUrl(url) ? `mailto:${url.slice(url.lastIndexOf('@'))}` : new URL(url).origin;
}

/** Returns where requests to a webhook go: its host with the port, or the domain of its address. */
export function hostOf(url: string): string {
  return isMailUrl(url) ? url.slice(url.lastIndexOf('@') + 1) : new URL(url).host;
}
