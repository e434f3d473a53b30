// An independent OpenID provider: `oidc-provider`, certified by the OpenID Foundation.
import { createServer, type RequestListener } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { clientId, clientSecret } from './identity-provider.ts';
import { listen } from './receivers.ts';

export interface CertifiedProvider extends AsyncDisposable {
  issuer: string;
  /** The verified emails of its users by `sub`. For a user not listed, the email is the `sub`. */
  emails: Map<string, string>;
  /** Signs a user in and gives consent, like a browser. Returns the URL of the redirect back. */
  signIn(authorizationUrl: string, subject: string): Promise<string>;
}

type ProviderClass = new (issuer: string, settings: object) => { callback(): RequestListener };

/** How a client sends its secret to the provider. */
export type ClientAuthMethod = 'client_secret_post' | 'client_secret_basic';

/** Starts the provider with one client. Every `sub` is a user, with any password. */
export async function startCertifiedProvider(
  redirectUri: string,
  method: ClientAuthMethod,
): Promise<CertifiedProvider> {
  // Loaded here, so that the caller can silence its warnings.
  // @ts-expect-error: a package without types
  const { Provider } = (await import('oidc-provider')) as { Provider: ProviderClass };
  let listener: RequestListener = () => undefined;
  const server = await listen(createServer((request, response) => listener(request, response)));
  const issuer = server.url;
  const emails = new Map<string, string>();
  const provider = new Provider(issuer, await settings({ redirectUri, method, emails }));
  listener = provider.callback();
  return {
    issuer,
    emails,
    signIn: (authorizationUrl, subject) => visit(authorizationUrl, { subject, redirectUri }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function settings({
  redirectUri,
  method,
  emails,
}: {
  redirectUri: string;
  method: ClientAuthMethod;
  emails: Map<string, string>;
}): Promise<object> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const seconds = 600;
  const client = {
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: method,
  };
  return {
    clients: [client],
    // The methods of the server. A client can use only its own.
    clientAuthMethods: [method],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    jwks: { keys: [await exportJWK(privateKey)] },
    ttl: {
      Interaction: seconds,
      Session: seconds,
      Grant: seconds,
      AccessToken: seconds,
      IdToken: seconds,
    },
    cookies: { keys: ['cookies of a test'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: emails.get(sub) ?? sub, email_verified: true }),
    }),
  };
}

const pagesMax = 12;

/** Follows the provider's redirects and fills in its forms, until it sends the browser away. */
async function visit(
  authorizationUrl: string,
  { subject, redirectUri }: { subject: string; redirectUri: string },
): Promise<string> {
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  let form: URLSearchParams | null = null;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form === null ? {} : { method: 'POST', body: form }),
    });
    for (const header of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location?.startsWith(redirectUri) === true) return location;
    if (location !== null) {
      url = new URL(location, url).href;
      form = null;
      continue;
    }
    const page = await answer.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (prompt === undefined) throw new Error(`the provider shows ${answer.status}: ${page}`);
    url = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', url).href;
    form = new URLSearchParams({ prompt, login: subject, password: 'any' });
  }
  throw new Error('the provider went on asking');
}
