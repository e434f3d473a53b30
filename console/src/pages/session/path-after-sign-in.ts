const anyOrigin = 'http://console.invalid';

/** Returns the path of the console that a link to the sign-in names; its beginning for anything else. */
export function pathAfterSignIn(to: string): string {
  if (!URL.canParse(to, anyOrigin)) return '/';
  const { origin, pathname, search, hash } = new URL(to, anyOrigin);
  // Two slashes would begin the name of another site.
  if (origin !== anyOrigin || pathname.startsWith('//')) return '/';
  return pathname + search + hash;
}
