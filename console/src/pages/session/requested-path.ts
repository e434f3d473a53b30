// The page that was asked for, while somebody signs in elsewhere: an identity provider leads back to `/`.
import { pathAfterSignIn } from './path-after-sign-in.ts';

const name = 'herald-asked-path';

export function keepAskedPath(to: string): void {
  sessionStorage.setItem(name, to);
}

/** Returns the path that was kept, once, and only one of the console; null for none. */
export function takeAskedPath(): string | null {
  const path = pathAfterSignIn(sessionStorage.getItem(name) ?? '');
  sessionStorage.removeItem(name);
  return path === '/' ? null : path;
}
