const anyOrigin = 'http://console.invalid';

/** Returns the console path that a sign-in link names, or `/` for anything else. */
export function pathAfterSignIn(to: string): string {
  if (!URL.canParse(to, anyOrigin)) return '/';
  const { origin, pathname, search, hash } = new URL(to, anyOrigin);
  // Two slashes would start the name of another site.
  if (origin !== anyOrigin || pathname.startsWith('//')) return '/';
  return pathname + search + hash;
}
