import type { IncomingMessage } from 'node:http';
import { AppError } from '../../lib/platform/errors.ts';
import { parseUrl } from '../../lib/egress/parse-url.ts';

/** Throws `cross_site_request` for pages of other sites. Only browsers send these headers. */
export function checkOwnPages(
  publicUrl: string,
  { headers }: Pick<IncomingMessage, 'headers'>,
): void {
  const site = headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  const { origin } = headers;
  const isOwnOrigin =
    origin === undefined ||
    origin === new URL(publicUrl).origin ||
    (parseUrl(origin)?.host ?? null) === headers.host;
  if (isOwnSite && isOwnOrigin) return;
  throw new AppError('cross_site_request', 'only the pages of this service may make this call');
}
