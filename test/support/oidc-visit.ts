// A browser that signs in through an identity provider, page by page.
import { clientId, clientSecret } from './identity-provider.ts';
import type { TestService } from './service.ts';

/** Returns the settings of a service with an identity provider. */
export function oidcSettings(issuer: string): Record<string, string> {
  return {
    HERALD_OIDC_ISSUER: issuer,
    HERALD_OIDC_CLIENT_ID: clientId,
    HERALD_OIDC_CLIENT_SECRET: clientSecret,
    HERALD_TRUSTED_PROXY_HOPS: '1',
  };
}

/** The state of a browser between two pages. */
export interface Visit {
  cookie: string;
  location: string;
}

/** The headers of a browser, and its address, by default a new one each time. */
interface Sender {
  cookie?: string;
  address?: string;
}

let pagesOpened = 0;

/** Opens a page without following redirects. */
export async function openPage(url: string, sender: Sender = {}): Promise<Response> {
  pagesOpened += 1;
  const { cookie = '', address = `10.0.${pagesOpened >> 8}.${pagesOpened & 255}` } = sender;
  const headers = { 'x-forwarded-for': address, ...(cookie === '' ? {} : { cookie }) };
  return fetch(url, { redirect: 'manual', headers });
}

/** Goes to the provider, and returns the URL to which the provider redirects the browser. */
export async function visitProvider(
  { apiUrl }: Pick<TestService, 'apiUrl'>,
  sender: Sender = {},
): Promise<Visit> {
  const start = await openPage(`${apiUrl}/admin/api/oidc/start`, sender);
  expect(start.status).toBe(302);
  const [cookie = ''] = start.headers.getSetCookie();
  const there = await openPage(start.headers.get('location') ?? '');
  return { cookie: cookie.split(';')[0] ?? '', location: there.headers.get('location') ?? '' };
}

/** Follows the redirect back. The service under test does not listen at its public address. */
export async function comeBack(
  { apiUrl }: Pick<TestService, 'apiUrl'>,
  { cookie, location }: Visit,
  sender: Pick<Sender, 'address'> = {},
): Promise<Response> {
  const { pathname, search } = new URL(location);
  return openPage(`${apiUrl}${pathname}${search}`, { ...sender, cookie });
}

/** Returns the outcome of a sign-in by its redirect, or else the status. */
export function outcomeOf({ status, headers }: Response): 'signed in' | 'refused' | number {
  const location = headers.get('location');
  if (status === 303 && location === 'http://herald.example/console') return 'signed in';
  const isRefused = status === 303 && location?.endsWith('/console/sign-in?refused=1') === true;
  return isRefused ? 'refused' : status;
}
