import { isThisMachine } from '../../lib/egress/host-name.ts';
import { headerValues } from '../http/raw-headers.ts';

export interface Cookie {
  name: string;
  sameSite: 'Strict' | 'Lax';
}

export const sessionCookie: Cookie = { name: 'herald_admin', sameSite: 'Strict' };

/** Marks a browser in which an admin has signed in (admin/session/known-device.ts). */
export const deviceCookie: Cookie = { name: 'herald_device', sameSite: 'Strict' };

/** Lax, because it must survive the redirect from the identity provider, which is another site. */
export const oidcCookie: Cookie = { name: 'herald_oidc', sameSite: 'Lax' };

/** `__Host-` keeps other hosts from setting it. Not every browser accepts it on plain http, even locally. */
function nameOf(publicUrl: string, cookie: Cookie): string {
  const { protocol, hostname } = new URL(publicUrl);
  const isPlain = protocol === 'http:' && isThisMachine(hostname);
  return isPlain ? cookie.name : `__Host-${cookie.name}`;
}

/** Returns a `Set-Cookie` header. Null deletes the cookie. */
export function setCookie(
  publicUrl: string,
  cookie: Cookie,
  content: { value: string; lifetimeMs: number } | null,
): string {
  const pair = `${nameOf(publicUrl, cookie)}=${content?.value ?? ''}`;
  const maxAgeSeconds = Math.floor((content?.lifetimeMs ?? 0) / 1_000);
  // On plain http, signing in fails rather than leaks. On localhost, Safari rejects `Secure` (WebKit bug 281149).
  const attributes = `HttpOnly; SameSite=${cookie.sameSite}; Path=/; Secure`;
  return `${pair}; Max-Age=${maxAgeSeconds}; ${attributes}`;
}

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
