// Cross-site request forgery: what a browser says of the page that a request comes from.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../lib/platform/errors.ts';
import { parseUrl } from '../../lib/egress/parse-url.ts';

/**
 * Throws `cross_site_request` when a browser says that another site's page sent the request: by
 * `Sec-Fetch-Site`, and by `Origin`, which must be the address that callers know the service by or
 * the one that this request was sent to. Callers that are no browsers send neither.
 */
export function checkOwnPages(
  publicUrl: string,
  { headers }: Pick<IncomingMessage, 'headers'>,
): void {
  const site = headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  const { origin } = headers;
  const isOwnOrigin =
    origin === undefined || origin === new URL(publicUrl).origin || hostOf(origin) === headers.host;
  if (isOwnSite && isOwnOrigin) return;
  throw new AppError('cross_site_request', 'this call is for the pages of this service only');
}

function hostOf(origin: string): string | null {
  return parseUrl(origin)?.host ?? null;
}
