// GET /admin/api/oidc/start: sends the browser to the identity provider.
import { minuteMs } from '../../../lib/platform/duration.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { networkOf } from '../../../lib/egress/network-of.ts';
import type { ApiContext } from '../../context.ts';
import type { Handler } from '../../router.ts';
import { spend } from '../../access/rate-limits.ts';
import { oidcCookie } from '../../access/cookies.ts';
import { sealCookie } from '../../access/sealed-cookie.ts';
import { sessionIdsOf } from '../session/open-session.ts';
import type { IdentityProvider, OidcTransaction } from './identity-provider.ts';

const transactionLifetimeMs = 10 * minuteMs;

/** What the browser keeps of a sign-in while it is at the provider. */
export interface BegunSignIn {
  transaction: OidcTransaction;
  /** Its sessions of before: their cookie is Strict and does not come back from another site. */
  sessionIds: string[];
}

/** Answers 302. Throws `not_found` where no provider is set, `rate_limited`, `unavailable`. */
export const beginOidc: Handler = async ({ caller, rawHeaders }, context) => {
  const provider = requireProvider(context);
  spend(context.rateLimits.oidc, networkOf(caller.address));
  const { url, transaction } = await provider.begin();
  const content: BegunSignIn = { transaction, sessionIds: sessionIdsOf(context, rawHeaders) };
  // Sealed, for it holds the PKCE verifier.
  const cookie = sealCookie(context, oidcCookie, { content, lifetimeMs: transactionLifetimeMs });
  return { status: 302, headers: { location: url.href, 'set-cookie': cookie } };
};

/** Gives the identity provider. Throws `not_found` where none is set. */
export function requireProvider({ identityProvider }: ApiContext): IdentityProvider {
  if (identityProvider !== null) return identityProvider;
  throw new AppError('not_found', 'no identity provider is set up');
}
