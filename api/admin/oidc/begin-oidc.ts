import { minuteMs } from '../../../lib/platform/duration.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { networkOf } from '../../../lib/egress/network-of.ts';
import type { ApiContext } from '../../context.ts';
import type { Handler } from '../../route.ts';
import { spend } from '../../access/rate-limits.ts';
import { oidcCookie } from '../../access/cookies.ts';
import { sealCookie } from '../../access/sealed-cookie.ts';
import { sessionHashesOf } from '../session/open-session.ts';
import type { IdentityProvider, OidcTransaction } from './identity-provider.ts';
import { ProviderFault, reportFault } from './provider-fault.ts';
import { operation, type Operation } from '../../http/operation.ts';

const transactionLifetimeMs = 10 * minuteMs;

export interface BegunSignIn {
  transaction: OidcTransaction;
  /** The browser's sessions. Their cookie is Strict, so it will not be sent with the redirect from another site. */
  sessionHashes: string[];
}

const facts: Operation = {
  id: 'beginOidc',
  summary: 'Start a sign-in through the identity provider',
  description: 'The response redirects the browser to the identity provider.',
  answers: {
    302: {
      description: 'A redirect to the identity provider',
      headers: ['location', 'set-cookie'],
    },
  },
  problems: ['not_found', 'rate_limited'],
};

export const beginOidc: Handler = operation(facts, async ({ caller, rawHeaders }, context) => {
  const provider = requireProvider(context);
  spend(context.rateLimits.oidc, networkOf(caller.address));
  const { url, transaction } = await provider.begin().catch((error: unknown) => {
    throw error instanceof ProviderFault ? reportFault(error, caller.requestId) : error;
  });
  const content: BegunSignIn = { transaction, sessionHashes: sessionHashesOf(context, rawHeaders) };
  // Sealed, because it holds the PKCE verifier.
  const cookie = sealCookie(context, oidcCookie, { content, lifetimeMs: transactionLifetimeMs });
  return { status: 302, headers: { location: url.href, 'set-cookie': cookie } };
});

/** Returns the identity provider. Throws `not_found`. */
export function requireProvider({ identityProvider }: ApiContext): IdentityProvider {
  if (identityProvider !== null) return identityProvider;
  throw new AppError('not_found', 'no identity provider is configured');
}
