// The cookies of the admin area: the session's, and that of a sign-in on its way through the identity provider.
import { isThisMachine } from '../../lib/net/host-name.ts';
import { headerValues } from '../http/raw-headers.ts';

interface Cookie {
  name: string;
  sameSite: 'Strict' | 'Lax';
}

export const sessionCookie: Cookie = { name: 'herald_admin', sameSite: 'Strict' };

/** Lax, because it has to come back with the redirect from the identity provider, which is another site. */
export const oidcCookie: Cookie = { name: 'herald_oidc', sameSite: 'Lax' };

/**
 * Gives the name and attributes of a cookie. Over https it is `__Host-…; Secure`: no other host
 * can set it and it never leaves TLS. Only where the service is known by a plain http address of
 * this machine (`npm start`) it is neither: Chrome and Firefox take Secure cookies there, Safari does
 * not (https://bugs.webkit.org/show_bug.cgi?id=281149). Under any other plain http address it stays
 * Secure, so that signing in fails there rather than send the session in the clear.
 */
function formOf(publicUrl: string, cookie: Cookie): { name: string; attributes: string } {
  const { protocol, hostname } = new URL(publicUrl);
  const common = `HttpOnly; SameSite=${cookie.sameSite}; Path=/`;
  return protocol === 'http:' && isThisMachine(hostname)
    ? { name: cookie.name, attributes: common }
    : { name: `__Host-${cookie.name}`, attributes: `${common}; Secure` };
}

/** Gives the `Set-Cookie` of a value, for as long as it can last; null takes the cookie away. */
export function setCookie(
  publicUrl: string,
  cookie: Cookie,
  content: { value: string; lifetimeMs: number } | null,
): string {
  const { name, attributes } = formOf(publicUrl, cookie);
  const maxAgeSeconds = Math.floor((content?.lifetimeMs ?? 0) / 1_000);
  return `${name}=${content?.value ?? ''}; Max-Age=${maxAgeSeconds}; ${attributes}`;
}

/** Gives every value a request carries for a cookie. */
export function cookieValues(
  publicUrl: string,
  cookie: Cookie,
  rawHeaders: readonly string[],
): string[] {
  const { name } = formOf(publicUrl, cookie);
  return headerValues(rawHeaders, 'cookie')
    .flatMap((header) => header.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
