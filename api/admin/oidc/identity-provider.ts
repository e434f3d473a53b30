// The identity provider of the admins: OpenID Connect, authorization code flow with PKCE.
import * as oidc from 'openid-client';
import type { OidcSettings } from '../../../lib/config/config.ts';
import { hourMs } from '../../../lib/platform/duration.ts';
import type { ProviderIdentity } from '../../../lib/model/admin.ts';
import { ProviderFault } from './provider-fault.ts';

/** Ties a response of the provider to the browser that started the sign-in, whose cookie stores this. */
export interface OidcTransaction {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The claims of the provider. Only their origin has been checked. */
interface ProviderUser {
  identity: ProviderIdentity;
  claims: Readonly<Record<string, unknown>>;
}

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** The path that the identity provider redirects the browser to. */
export const callbackPath = '/admin/api/oidc/callback';

const requestTimeoutSeconds = 5;
const discoveredForMs = hourMs;

/** The metadata and keys of the provider are fetched on first use. */
export function createIdentityProvider(settings: OidcSettings, redirectUri: string) {
  let discovered: { at: number; configuration: Promise<oidc.Configuration> } | null = null;

  async function configuration(): Promise<oidc.Configuration> {
    if (discovered === null || performance.now() - discovered.at > discoveredForMs) {
      discovered = { at: performance.now(), configuration: discover(settings) };
    }
    const current = discovered;
    try {
      return await current.configuration;
    } catch (error) {
      // The next sign-in tries the discovery again.
      if (discovered === current) discovered = null;
      throw new ProviderFault('discovery', settings.issuer, error);
    }
  }

  return {
    /** Throws a `ProviderFault`. */
    async begin(): Promise<{ url: URL; transaction: OidcTransaction }> {
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
    /** Throws a `ProviderFault`. */
    async finish(callbackUrl: URL, transaction: OidcTransaction): Promise<ProviderUser> {
      const provider = await configuration();
      const faultAt = (step: 'token' | 'userinfo') => (error: unknown) => {
        throw new ProviderFault(step, settings.issuer, error);
      };
      const tokens = await oidc
        .authorizationCodeGrant(provider, callbackUrl, {
          expectedState: transaction.state,
          expectedNonce: transaction.nonce,
          pkceCodeVerifier: transaction.codeVerifier,
          idTokenExpected: true,
        })
        .catch(faultAt('token'));
      const claims = tokens.claims();
      if (claims === undefined) throw faultAt('token')(new Error('the provider gave no ID token'));
      const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined;
      const identity = { issuer: claims.iss, subject: claims.sub };
      const isKnown = claims['email'] !== undefined && claims['email_verified'] !== undefined;
      if (isKnown || !hasMore) return { identity, claims };
      // Some providers return both only from the user info endpoint (OpenID Connect Core §5.4).
      const more = await oidc
        .fetchUserInfo(provider, tokens.access_token, claims.sub)
        .catch(faultAt('userinfo'));
      return { identity, claims: more };
    },
  };
}

async function discover(settings: OidcSettings): Promise<oidc.Configuration> {
  const issuer = new URL(settings.issuer);
  // Also verifies the signature of the ID token, although TLS would suffice.
  const execute = [oidc.enableNonRepudiationChecks];
  if (issuer.protocol === 'http:') execute.push(oidc.allowInsecureRequests);
  const { clientId, clientSecret } = settings;
  const options = { execute, timeout: requestTimeoutSeconds };
  return oidc.discovery(issuer, clientId, undefined, authentication(clientSecret), options);
}

/** `client_secret_post` if the provider lists it, or else the default of all providers (OpenID Connect Core §9). */
function authentication(clientSecret: string): oidc.ClientAuth {
  const byPost = oidc.ClientSecretPost(clientSecret);
  const byBasic = oidc.ClientSecretBasic(clientSecret);
  return (provider, ...rest) => {
    const methods = provider.token_endpoint_auth_methods_supported;
    const authenticate = methods?.includes('client_secret_post') ? byPost : byBasic;
    authenticate(provider, ...rest);
  };
}
