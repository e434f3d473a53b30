// Cookies that hold something for us: sealed, so that a browser can neither read nor change it, and for a time.
import type { ApiContext } from '../context.ts';
import { type Cookie, cookieValues, setCookie } from './cookies.ts';

interface Sealed {
  content: unknown;
  expiresAtMs: number;
}

/** Gives the `Set-Cookie` of what a browser is to keep. */
export function sealCookie(
  { secretBox, clock, config }: ApiContext,
  cookie: Cookie,
  { content, lifetimeMs }: { content: unknown; lifetimeMs: number },
): string {
  const whole: Sealed = { content, expiresAtMs: clock.now().getTime() + lifetimeMs };
  const { keyId, sealed } = secretBox.seal(JSON.stringify(whole), placeOf(cookie));
  return setCookie(config.http.publicUrl, cookie, { value: `${keyId}.${sealed}`, lifetimeMs });
}

/** Reads back what `sealCookie` was given; null for no cookie, several, one whose time is over and one that we did not seal. */
export function openCookie(
  { secretBox, clock, config }: ApiContext,
  cookie: Cookie,
  rawHeaders: readonly string[],
): unknown {
  const [value = '', ...more] = cookieValues(config.http.publicUrl, cookie, rawHeaders);
  if (more.length > 0) return null;
  const [keyId = '', sealed = ''] = value.split('.');
  try {
    const text = secretBox.open({ keyId, sealed }, placeOf(cookie));
    const { content, expiresAtMs } = JSON.parse(text) as Sealed;
    return expiresAtMs > clock.now().getTime() ? content : null;
  } catch {
    // Whatever a browser sends that does not open is none of ours.
    return null;
  }
}

function placeOf({ name }: Cookie): string {
  return `cookie/${name}`;
}
