// A browser on its way through an identity provider, page by page.
import { expect } from 'vitest';
import { clientId, clientSecret } from './identity-provider.ts';
import type { TestService } from './service.ts';

/** Gives the settings of a service that admins sign in to through a provider. */
export function oidcSettings(issuer: string): Record<string, string> {
  return {
    HERALD_OIDC_ISSUER: issuer,
    HERALD_OIDC_CLIENT_ID: clientId,
    HERALD_OIDC_CLIENT_SECRET: clientSecret,
    HERALD_TRUSTED_PROXY_HOPS: '1',
  };
}

/** What a browser holds between two pages. */
export interface Visit {
  cookie: string;
  location: string;
}

/** What a browser sends, and the address that it comes from: by default each time another one. */
interface Sender {
  cookie?: string;
  address?: string;
}

let pagesOpened = 0;

/** Opens a page and follows no redirect. */
export async function openPage(url: string, sender: Sender = {}): Promise<Response> {
  pagesOpened += 1;
  const { cookie = '', address = `10.0.${pagesOpened >> 8}.${pagesOpened & 255}` } = sender;
  const headers = { 'x-forwarded-for': address, ...(cookie === '' ? {} : { cookie }) };
  return fetch(url, { redirect: 'manual', headers });
}

/** Goes to the provider and comes back as far as the address that the provider sends the browser to. */
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

/** Follows the way back; the service under test listens elsewhere than its public address says. */
export async function comeBack(
  { apiUrl }: Pick<TestService, 'apiUrl'>,
  { cookie, location }: Visit,
  sender: Pick<Sender, 'address'> = {},
): Promise<Response> {
  const { pathname, search } = new URL(location);
  return openPage(`${apiUrl}${pathname}${search}`, { ...sender, cookie });
}
