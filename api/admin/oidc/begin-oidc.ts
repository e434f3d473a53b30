// GET /admin/api/oidc/start: sends the browser to the identity provider.
import { minuteMs } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/errors.ts';
import type { ApiContext } from '../../context.ts';
import type { Handler } from '../../http/router.ts';
import { oidcCookie } from '../cookies.ts';
import { sealCookie } from '../sealed-cookie.ts';
import type { IdentityProvider } from './identity-provider.ts';

const transactionLifetimeMs = 10 * minuteMs;

/** Answers 302. Throws `not_found` where no provider is set, `unavailable`. */
export const beginOidc: Handler = async (_request, context) => {
  const { url, transaction } = await requireProvider(context).begin();
  // Sealed, for it holds the PKCE verifier.
  const content = { content: transaction, lifetimeMs: transactionLifetimeMs };
  const cookie = sealCookie(context, oidcCookie, content);
  return { status: 302, headers: { location: url.href, 'set-cookie': cookie } };
};

/** Gives the identity provider. Throws `not_found` where none is set. */
export function requireProvider({ identityProvider }: ApiContext): IdentityProvider {
  if (identityProvider !== null) return identityProvider;
  throw new AppError('not_found', 'no identity provider is set up');
}
