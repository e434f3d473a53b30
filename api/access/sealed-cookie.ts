// Cookies that a browser can neither read nor change.
import type { ApiContext } from '../context.ts';
import { type Cookie, cookieValues, setCookie } from './cookies.ts';

export function sealCookie(
  { secretBox, clock, config }: ApiContext,
  cookie: Cookie,
  { content, lifetimeMs }: { content: unknown; lifetimeMs: number },
): string {
  const text = JSON.stringify({ content, expiresAtMs: clock.now().getTime() + lifetimeMs });
  const { keyId, sealed } = secretBox.seal(text, locationOf(cookie));
  return setCookie(config.http.publicUrl, cookie, { value: `${keyId}.${sealed}`, lifetimeMs });
}

/** Returns the content, or null if there is no cookie, more than one, or one that is expired or forged. */
export function openCookie(
  { secretBox, clock, config }: ApiContext,
  cookie: Cookie,
  rawHeaders: readonly string[],
): unknown {
  const [value = '', ...more] = cookieValues(config.http.publicUrl, cookie, rawHeaders);
  if (more.length > 0) return null;
  const [keyId = '', sealed = ''] = value.split('.');
  try {
    const text = secretBox.open({ keyId, sealed }, locationOf(cookie));
    const whole = JSON.parse(text) as { content: unknown; expiresAtMs: number };
    return whole.expiresAtMs > clock.now().getTime() ? whole.content : null;
  } catch {
    return null;
  }
}

function locationOf({ name }: Cookie): string {
  return `cookie/${name}`;
}
