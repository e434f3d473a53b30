// GET /admin/api/oidc/start: sends the browser to the identity provider.
import { AppError } from '../../../lib/errors.ts';
import type { ApiContext } from '../../context.ts';
import type { Handler } from '../../http/router.ts';
import { oidcCookie, setCookie } from '../cookies.ts';
import type { IdentityProvider, OidcTransaction } from './identity-provider.ts';

const transactionLifetimeMs = 10 * 60 * 1_000;
const place = 'admin-oidc';

/** Answers 302. Throws `not_found` where no provider is set, `unavailable`. */
export const beginOidc: Handler = async (_request, context) => {
  const { url, transaction } = await requireProvider(context).begin();
  const value = sealTransaction(context, transaction);
  const content = { value, lifetimeMs: transactionLifetimeMs };
  const cookie = setCookie(context.config.http.publicUrl, oidcCookie, content);
  return { status: 302, headers: { location: url.href, 'set-cookie': cookie } };
};

/** Gives the identity provider. Throws `not_found` where none is set. */
export function requireProvider({ identityProvider }: ApiContext): IdentityProvider {
  if (identityProvider !== null) return identityProvider;
  throw new AppError('not_found', 'no identity provider is set up');
}

/** The transaction goes to the browser sealed: it holds the PKCE verifier. */
function sealTransaction({ secretBox, clock }: ApiContext, transaction: OidcTransaction): string {
  const expiresAtMs = clock.now().getTime() + transactionLifetimeMs;
  const { keyId, sealed } = secretBox.seal(JSON.stringify({ ...transaction, expiresAtMs }), place);
  return `${keyId}.${sealed}`;
}

/** Reads a transaction back; null for one that is over or that we did not seal. */
export function openTransaction(
  { secretBox, clock }: ApiContext,
  value: string,
): OidcTransaction | null {
  const [keyId = '', sealed = ''] = value.split('.');
  try {
    const text = secretBox.open({ keyId, sealed }, place);
    const { expiresAtMs, ...transaction } = JSON.parse(text) as OidcTransaction & {
      expiresAtMs: number;
    };
    return expiresAtMs > clock.now().getTime() ? transaction : null;
  } catch {
    // Whatever a browser sends that does not open is no transaction of ours.
    return null;
  }
}
