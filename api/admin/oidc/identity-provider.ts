// The identity provider through which admins may sign in: OpenID Connect, authorization code and PKCE.
import * as oidc from 'openid-client';
import type { OidcSettings } from '../../../lib/config/config.ts';
import { hourMs } from '../../../lib/platform/duration.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import type { ProviderIdentity } from '../../../lib/model/admin.ts';

/** What ties an answer of the provider to the browser that asked; it stays in that browser's cookie. */
export interface OidcTransaction {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The user, and what the provider says of him beside, checked to come from it and nothing more. */
export interface ProviderUser {
  identity: ProviderIdentity;
  claims: Readonly<Record<string, unknown>>;
}

export interface IdentityProvider {
  /** Gives the address to send the browser to. Throws `unavailable`. */
  begin(): Promise<{ url: URL; transaction: OidcTransaction }>;
  /**
   * Gives the user that the answer at `callbackUrl` leads to. Throws `unavailable`, or the library's
   * error for an answer that does not hold.
   */
  finish(callbackUrl: URL, transaction: OidcTransaction): Promise<ProviderUser>;
}

const requestTimeoutSeconds = 5;
const discoveredForMs = hourMs;

/** Makes the provider of an installation; it is asked for its addresses and keys when first needed. */
export function createIdentityProvider(
  settings: OidcSettings,
  redirectUri: string,
): IdentityProvider {
  let discovered: { at: number; configuration: Promise<oidc.Configuration> } | null = null;

  async function configuration(): Promise<oidc.Configuration> {
    if (discovered === null || performance.now() - discovered.at > discoveredForMs) {
      discovered = { at: performance.now(), configuration: discover(settings) };
    }
    const current = discovered;
    try {
      return await current.configuration;
    } catch (error) {
      // The next sign-in asks again.
      if (discovered === current) discovered = null;
      throw away(error);
    }
  }

  return {
    async begin() {
      const provider = await configuration();
      const codeVerifier = oidc.randomPKCECodeVerifier();
      const transaction = { state: oidc.randomState(), nonce: oidc.randomNonce(), codeVerifier };
      const url = oidc.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state: transaction.state,
        nonce: transaction.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url, transaction };
    },
    async finish(callbackUrl, { state, nonce, codeVerifier }) {
      const provider = await configuration();
      try {
        const tokens = await oidc.authorizationCodeGrant(provider, callbackUrl, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('the provider gave no ID token');
        const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined;
        const identity = { issuer: claims.iss, subject: claims.sub };
        const isTold = claims['email'] !== undefined && claims['email_verified'] !== undefined;
        if (isTold || !hasMore) return { identity, claims };
        // Where OpenID Connect Core §5.4 is taken at its word, the two are told there only.
        const more = await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub);
        return { identity, claims: more };
      } catch (error) {
        throw isAway(error) ? away(error) : error;
      }
    },
  };
}

async function discover(settings: OidcSettings): Promise<oidc.Configuration> {
  const issuer = new URL(settings.issuer);
  // The keys of the ID token are checked, too, though it comes from the provider over TLS.
  const execute = [oidc.enableNonRepudiationChecks];
  if (issuer.protocol === 'http:') execute.push(oidc.allowInsecureRequests);
  const { clientId, clientSecret } = settings;
  const auth = oidc.ClientSecretPost(clientSecret);
  const options = { execute, timeout: requestTimeoutSeconds };
  return oidc.discovery(issuer, clientId, undefined, auth, options);
}

/** Tells a provider that cannot answer, or a gateway that does in its place, from an answer that does not hold. */
function isAway(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError) return isBusy(error.status);
  if (!(error instanceof oidc.ClientError)) return error instanceof TypeError;
  if (error.cause instanceof Response && isBusy(error.cause.status)) return true;
  return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_RESPONSE_IS_NOT_JSON';
}

function isBusy(status: number): boolean {
  return status >= 500 || status === 429;
}

function away(cause: unknown): AppError {
  const detail = 'the identity provider does not answer';
  return new AppError('unavailable', detail, { cause, retryAfterSeconds: 10 });
}
