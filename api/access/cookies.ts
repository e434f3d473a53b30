// The cookies of the admin area, and how they are set and read.
import { isThisMachine } from '../../lib/egress/host-name.ts';
import { headerValues } from '../http/raw-headers.ts';

export interface Cookie {
  name: string;
  sameSite: 'Strict' | 'Lax';
}

export const sessionCookie: Cookie = { name: 'herald_admin', sameSite: 'Strict' };

/** Tells a browser that an admin signed in with before from those of strangers (session/known-device.ts). */
export const deviceCookie: Cookie = { name: 'herald_device', sameSite: 'Strict' };

/** Lax, because it has to come back with the redirect from the identity provider, which is another site. */
export const oidcCookie: Cookie = { name: 'herald_oidc', sameSite: 'Lax' };

/**
 * The name of a cookie. `__Host-`, so that no other host can set it; but for a plain http address of
 * this machine (`npm start`), where not every browser takes the prefix.
 */
function nameOf(publicUrl: string, cookie: Cookie): string {
  const { protocol, hostname } = new URL(publicUrl);
  const isPlain = protocol === 'http:' && isThisMachine(hostname);
  return isPlain ? cookie.name : `__Host-${cookie.name}`;
}

/**
 * Gives the `Set-Cookie` of a value, for as long as it can last; null takes the cookie away. It is
 * always Secure: Chrome and Firefox count `http://localhost` as secure, Safari does not
 * (https://bugs.webkit.org/show_bug.cgi?id=281149), and under any other plain http address signing in
 * fails rather than send the session in the clear.
 */
export function setCookie(
  publicUrl: string,
  cookie: Cookie,
  content: { value: string; lifetimeMs: number } | null,
): string {
  const pair = `${nameOf(publicUrl, cookie)}=${content?.value ?? ''}`;
  const maxAgeSeconds = Math.floor((content?.lifetimeMs ?? 0) / 1_000);
  const attributes = `HttpOnly; SameSite=${cookie.sameSite}; Path=/; Secure`;
  return `${pair}; Max-Age=${maxAgeSeconds}; ${attributes}`;
}

/** Gives every value a request carries for a cookie. */
export function cookieValues(
  publicUrl: string,
  cookie: Cookie,
  rawHeaders: readonly string[],
): string[] {
  const name = nameOf(publicUrl, cookie);
  return headerValues(rawHeaders, 'cookie')
    .flatMap((header) => header.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
