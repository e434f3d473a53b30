// Keeps the requested page during a sign-in at an identity provider, which returns to `/`.
import { pathAfterSignIn } from './path-after-sign-in.ts';

const name = 'herald-asked-path';

export function keepRequestedPath(to: string): void {
  sessionStorage.setItem(name, to);
}

/** Returns and forgets the kept path. Null if there is none, or it is not a path of the console. */
export function takeRequestedPath(): string | null {
  const path = pathAfterSignIn(sessionStorage.getItem(name) ?? '');
  sessionStorage.removeItem(name);
  return path === '/' ? null : path;
}
