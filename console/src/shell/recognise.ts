// What a text in the search is, as far as its form tells.
import { keyIdIn, pastedValue } from '../parts/pasted-text.ts';
import { type Named, namedBy } from './leads.ts';

export type Recognised =
  | { kind: 'page'; path: string }
  /** `appUid` is null if the text names no application. */
  | { kind: 'named'; named: Named; appUid: string | null }
  | { kind: 'key'; keyId: string }
  | { kind: 'text'; text: string };

const appUids = /\bapp_[0-9a-hjkmnp-tv-z]{26}\b/;

/** `consoleUrl` is the address below which the pages of this console are. */
export function recognise(pasted: string, consoleUrl: string): Recognised {
  const text = pastedValue(pasted);
  const path = pathIn(text, consoleUrl);
  if (path !== null) return { kind: 'page', path };
  const keyId = keyIdIn(text);
  if (keyId !== null) return { kind: 'key', keyId };
  const named = namedBy(text);
  if (named === null) return { kind: 'text', text };
  return { kind: 'named', named, appUid: appUids.exec(text.toLowerCase())?.[0] ?? null };
}

/** Returns the path of a page of this console, below `consoleUrl`. */
function pathIn(text: string, consoleUrl: string): string | null {
  const base = new URL('.', consoleUrl);
  const isPath = /^\/\S*$/.test(text);
  if (!isPath && !URL.canParse(text)) return null;
  const { origin, pathname, search, hash } = new URL(text, base);
  if (origin !== base.origin) return null;
  const below = pathname.startsWith(base.pathname) ? pathname.slice(base.pathname.length) : null;
  const page = below ?? (isPath ? pathname.slice(1) : '');
  return /^(?:apps|audit-log|me)(?:\/|$)/.test(page) ? `/${page}${search}${hash}` : null;
}
