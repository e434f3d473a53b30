// The cookie that holds an admin's session.
import { headerValues } from '../../http/raw-headers.ts';

/**
 * Gives the name and attributes of the cookie. Over https it is `__Host-…; Secure`: no other host
 * can set it and it never leaves TLS. Only where the service is known by a plain http address of
 * this machine (`npm start`) it is neither, because browsers refuse such cookies there: Safari every
 * Secure one, Chrome those named `__Host-`. Under any other plain http address it stays Secure, so
 * that signing in fails there rather than send the session in the clear.
 */
function cookieForm(publicUrl: string): { name: string; attributes: string } {
  const { protocol, hostname } = new URL(publicUrl);
  const isThisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const common = 'HttpOnly; SameSite=Strict; Path=/';
  return protocol === 'http:' && isThisMachine
    ? { name: 'herald_admin', attributes: common }
    : { name: '__Host-herald_admin', attributes: `${common}; Secure` };
}

/** Gives the `Set-Cookie` of a session, for as long as it can last; null takes the cookie away. */
export function sessionCookie(
  publicUrl: string,
  session: { token: string; lifetimeMs: number } | null,
): string {
  const { name, attributes } = cookieForm(publicUrl);
  const maxAgeSeconds = Math.floor((session?.lifetimeMs ?? 0) / 1_000);
  return `${name}=${session?.token ?? ''}; Max-Age=${maxAgeSeconds}; ${attributes}`;
}

/** Gives every value a request carries for the cookie. */
export function sessionCookieValues(publicUrl: string, rawHeaders: readonly string[]): string[] {
  const { name } = cookieForm(publicUrl);
  return headerValues(rawHeaders, 'cookie')
    .flatMap((header) => header.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
